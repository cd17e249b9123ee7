"""What is known about a verifier: audits and their plans, labelled cases, exploits found, suite leaderboards."""
