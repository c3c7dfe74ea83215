// The other tests reuse the precompiled headers of this file.
