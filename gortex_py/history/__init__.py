"""What past commits said of the files they touched."""
