"""The figures of E23."""
