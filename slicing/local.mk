# slicing
