"""The questions that OpenFeature has for a provider: five types of values, and each asynchronously.

All are one question to `Provider`, with the type that is expected.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from openfeature.evaluation_context import EvaluationContext
from openfeature.flag_evaluation import FlagResolutionDetails, FlagType, FlagValueType
from openfeature.provider import AbstractProvider

Object = Sequence[FlagValueType] | Mapping[str, FlagValueType]


class Resolvers(AbstractProvider):
    """A provider that answers all types of questions in one way."""

    @abstractmethod
    def _resolve(
        self, key: str, kind: FlagType, context: EvaluationContext | None
    ) -> FlagResolutionDetails[Any]:
        """Answer a question for a value of a kind."""

    @abstractmethod
    async def _resolve_async(
        self, key: str, kind: FlagType, context: EvaluationContext | None
    ) -> FlagResolutionDetails[Any]:
        """Answer it without holding up the event loop."""

    def resolve_boolean_details(
        self,
        flag_key: str,
        default_value: bool,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[bool]:
        """Resolve a factor whose levels are true and false.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return self._resolve(flag_key, FlagType.BOOLEAN, evaluation_context)

    async def resolve_boolean_details_async(
        self,
        flag_key: str,
        default_value: bool,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[bool]:
        """Resolve a factor whose levels are true and false, asynchronously.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return await self._resolve_async(flag_key, FlagType.BOOLEAN, evaluation_context)

    def resolve_string_details(
        self,
        flag_key: str,
        default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:
        """Resolve a factor whose levels are strings.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return self._resolve(flag_key, FlagType.STRING, evaluation_context)

    async def resolve_string_details_async(
        self,
        flag_key: str,
        default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:
        """Resolve a factor whose levels are strings, asynchronously.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return await self._resolve_async(flag_key, FlagType.STRING, evaluation_context)

    def resolve_integer_details(
        self,
        flag_key: str,
        default_value: int,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[int]:
        """Resolve a factor whose levels are whole numbers.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return self._resolve(flag_key, FlagType.INTEGER, evaluation_context)

    async def resolve_integer_details_async(
        self,
        flag_key: str,
        default_value: int,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[int]:
        """Resolve a factor whose levels are whole numbers, asynchronously.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return await self._resolve_async(flag_key, FlagType.INTEGER, evaluation_context)

    def resolve_float_details(
        self,
        flag_key: str,
        default_value: float,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[float]:
        """Resolve a factor whose levels are numbers.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return self._resolve(flag_key, FlagType.FLOAT, evaluation_context)

    async def resolve_float_details_async(
        self,
        flag_key: str,
        default_value: float,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[float]:
        """Resolve a factor whose levels are numbers, asynchronously.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return await self._resolve_async(flag_key, FlagType.FLOAT, evaluation_context)

    def resolve_object_details(
        self,
        flag_key: str,
        default_value: Object,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Object]:
        """Resolve a flag to an object with a level of each factor.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return self._resolve(flag_key, FlagType.OBJECT, evaluation_context)

    async def resolve_object_details_async(
        self,
        flag_key: str,
        default_value: Object,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Object]:
        """Resolve a flag to an object with a level of each factor, asynchronously.

        Parameters
        ----------
        flag_key, default_value, evaluation_context
            As OpenFeature's client gives them.

        Returns
        -------
        FlagResolutionDetails
            What was decided for the targeting key.
        """
        return await self._resolve_async(flag_key, FlagType.OBJECT, evaluation_context)
