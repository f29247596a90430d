"""What plans a windowed stream query has, and what each should cost. Pure: no Spark, no pages."""
