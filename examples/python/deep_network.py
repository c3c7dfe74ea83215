"""All layers of a deep network, from samples that nobody chose."""
import relucover

x, y, truth = relucover.sample(inputs=4, layers=[4, 3], samples=6000, seed=5)
result = relucover.learn(x, y, layers=[4, 3])
print(result.brief())

errors = relucover.compare(truth, result.network)
for number, layer in enumerate(errors["layers"], 1):
    print(f"layer {number}: {layer['units_matched']} of {layer['units_truth']} units, largest error {layer['max_weight_error']:.1e}")
assert errors["function_rms"] < 1e-9
