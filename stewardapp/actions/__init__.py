"""The only code that writes: one transaction, one audit event, keyword-only, always by somebody."""
