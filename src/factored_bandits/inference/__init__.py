"""What the data prove: certificates of the best levels, and tests for interactions."""

from __future__ import annotations

from .certificate import Certificate, Claim, certificate
from .diagnosis import Diagnosis, Finding
from .evidence import Certifiable, CertifiableRuns, Evidence, FactorEvidence

__all__ = [
    "Certifiable",
    "CertifiableRuns",
    "Certificate",
    "Claim",
    "Diagnosis",
    "Evidence",
    "FactorEvidence",
    "Finding",
    "certificate",
]
