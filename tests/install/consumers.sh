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

echo "== find_package"
mkdir "$work/cmake"
cp "$program" "$work/cmake/main.cpp"
cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(relucover 0.1 REQUIRED)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE relucover::relucover)
END
cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/cmake/build"
"$work/cmake/build/consumer"

echo "== pkg-config"
pc=$(dirname "$(find "$prefix" -name relucover.pc)")
PKG_CONFIG_PATH=$pc pkg-config --modversion relucover
# shellcheck disable=SC2046  # the flags are many words
"$compiler" -std=c++20 -O1 "$program" -o "$work/consumer" $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs relucover)
"$work/consumer"
