"""The project's guides, documents in Markdown, as pages of the site."""
