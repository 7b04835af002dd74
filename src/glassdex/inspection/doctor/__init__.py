"""What is wrong with a project, how bad it is, and the command that mends it."""

from glassdex.inspection.doctor.diagnosis import diagnose
from glassdex.inspection.doctor.findings import MAX_EXAMPLES, SEVERITIES, Diagnosis, Finding, Severity

__all__ = ["MAX_EXAMPLES", "SEVERITIES", "Diagnosis", "Finding", "Severity", "diagnose"]
