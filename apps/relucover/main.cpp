#include <cstdio>
#include "relucover/relucover.hpp"
int main() { auto s = relucover::synthetic_samples(relucover::planted_network({.inputs=3,.units=2}), {.samples=10}); std::printf("%ld\n", (long)s->samples()); }
