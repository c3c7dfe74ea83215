"""Packs what CMake built as a wheel; run by `make python`, in the build folder."""
import os

from setuptools import Distribution, setup


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(
    name="relucover",
    version=os.environ["RELUCOVER_VERSION"],
    description="Recover a neural network from its inputs and outputs",
    packages=["relucover"],
    package_data={"relucover": ["*.so", "*.pyi", "py.typed", "*.html"]},
    python_requires=">=3.9",
    install_requires=["numpy>=1.20", "scikit-learn>=1.2"],
    extras_require={"report": ["matplotlib", "jinja2"]},
    distclass=BinaryDistribution,
)
