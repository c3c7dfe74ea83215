"""All layers of a deep network, from samples that nobody chose."""
import relucover

x, y, truth = relucover.sample(inputs=10, layers=[8, 5], samples=20000, seed=3)
result = relucover.learn(x, y, layers=[8, 5], seed=1)
print(result.brief())

errors = relucover.compare(truth, result.network)
for number, layer in enumerate(errors["layers"], 1):
    print(f"layer {number}: {layer['units_matched']} of {layer['units_truth']} units, largest error {layer['max_weight_error']:.1e}")
assert errors["function_rms"] < 1e-9
