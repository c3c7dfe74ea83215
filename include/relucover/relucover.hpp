#pragma once
// Everything public.
#include "relucover/communicator.hpp"
#include "relucover/errors.hpp"
#include "relucover/first_layer.hpp"
#include "relucover/learn.hpp"
#include "relucover/network.hpp"
#include "relucover/oracle.hpp"
#include "relucover/population.hpp"
#include "relucover/power_sums.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "relucover/threshold.hpp"
#include "relucover/types.hpp"
