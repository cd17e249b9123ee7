"""Templates, Markdown and source text into safe markup."""
