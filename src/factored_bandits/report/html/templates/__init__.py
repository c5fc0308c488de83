"""The templates of the page: Jinja2 escapes every text that is put into them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from factored_bandits.errors import MissingExtraError

if TYPE_CHECKING:
    import jinja2

JSON = {"separators": (",", ":"), "allow_nan": False}  # compact, and what every browser reads


def template(name: str) -> jinja2.Template:
    """A template of this folder.

    Parameters
    ----------
    name
        The name of its file, such as `"page.html"`.

    Returns
    -------
    jinja2.Template
        Ready to be rendered.

    Raises
    ------
    MissingExtraError
        If Jinja2 is not installed.

    Examples
    --------
    >>> from factored_bandits.core.table import Table
    >>> print(template("table.html").module.data_table(Table("<b>", ("a",), [("5 +- 1",)])))
    <div class="scroll" tabindex="0" role="region" aria-label="&lt;b&gt;"><table>
    <caption>&lt;b&gt;</caption>
    <thead><tr>
    <th scope="col">a</th>
    </tr></thead>
    <tbody>
    <tr>
    <td>5 ± 1</td>
    </tr>
    </tbody>
    </table></div>
    """
    return _environment().get_template(name)


@functools.cache
def _environment() -> jinja2.Environment:
    try:
        import jinja2
    except ImportError:
        raise MissingExtraError.of("jinja2", "report", "the report") from None

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("factored_bandits.report.html"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_with_signs,
    )
    environment.policies["json.dumps_kwargs"] = JSON
    return environment


def _with_signs(value: Any) -> Any:
    """A text with a proper sign for errors; what is marked as safe stays as it is.

    >>> _with_signs("5 +- 1")
    '5 ± 1'
    """
    if type(value) is str:
        return value.replace("+- ", "± ")
    return value
