#!/usr/bin/env bash
# Installs a build into a clean prefix, then builds and runs a program against it in the two ways that a stranger would.
# usage: consumers.sh BUILD PROGRAM.cpp COMPILER
set -euo pipefail
build=$1 program=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
"$prefix/bin/relucover" --version
# The modules are found where they were installed: HDF5 by the program, HDF5 and ONNX by those who link the library.
"$prefix/bin/relucover" sample --inputs 3 --units 2 --samples 300 -o "$work/data.h5" --truth "$work/truth.onnx"
"$prefix/bin/relucover" evaluate "$work/truth.onnx" "$work/data.h5"
cat >"$work/files.cpp" <<'END'
#include <relucover/relucover.hpp>
int main(int, char** argv) {
  const auto samples = relucover::open_samples(argv[1]);
  const relucover::Network truth = relucover::read_network(argv[2]);
  return samples->samples() == 300 && truth.units() == 2 ? 0 : 1;
}
END

echo "== find_package"
mkdir "$work/cmake"
cp "$program" "$work/cmake/main.cpp"
cp "$work/files.cpp" "$work/cmake/files.cpp"
cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(relucover 0.1 REQUIRED)
foreach(name main files)
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} PRIVATE relucover::relucover)
endforeach()
END
cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CXX_FLAGS=-O0 >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/cmake/build"
"$work/cmake/build/main"
"$work/cmake/build/files" "$work/data.h5" "$work/truth.onnx"

echo "== pkg-config"
pc=$(dirname "$(find "$prefix" -name relucover.pc)")
PKG_CONFIG_PATH=$pc pkg-config --modversion relucover
# shellcheck disable=SC2046  # the flags are many words
"$compiler" -std=c++20 -O0 "$work/files.cpp" -o "$work/files" $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs relucover)
"$work/files" "$work/data.h5" "$work/truth.onnx"

echo "== without a module"
rm "$prefix/lib/relucover/relucover_hdf5.so"
"$prefix/bin/relucover" --version
code=0
"$prefix/bin/relucover" evaluate "$work/truth.onnx" "$work/data.h5" 2>"$work/message" || code=$?
cat "$work/message"
[ "$code" -eq 2 ]
grep -q "relucover_hdf5.so" "$work/message"
grep -q "libhdf5-dev" "$work/message"
