"""Plans audits of verifiers, compares two verifiers, and judges stored runs again."""
