// This layer's first source file; see the headers beside it.
