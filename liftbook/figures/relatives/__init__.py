"""Lift's relatives: implications, closed forms, the funnel and the bench."""
