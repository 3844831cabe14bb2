#include "pair/device/block_sum.cuh"
#include "pair/device/update.cuh"

// The optimizer's guarded update: SGD with momentum or Adam, and the decision whether the step is taken.

namespace pair::device::cuda {
namespace {

constexpr float adam_epsilon = 1e-8F;

// The decision of a step, from the block that computed it, stored after the blocks' sums in the workspace.
struct Decision {
  float rate;
  float kept;  // SGD: share of the velocity
  float root;  // Adam: factor of the root of the mean square
  bool good;
};
static_assert(sizeof(Decision) <= 2 * sizeof(double));

__device__ Decision& decision_of(const Update& u) {
  return *reinterpret_cast<Decision*>(u.workspace + 2 * update_blocks);
}

// The number of finished blocks; 0 between two steps.
__device__ unsigned& done_of(const Update& u) {
  return *reinterpret_cast<unsigned*>(u.workspace + 2 * update_blocks + 2);
}

__device__ void decide(const Update& u, const Totals& all) {
  double sum = all.first;
  for (int k = 0; k < u.loss_count; ++k) {
    sum += u.losses[k] * u.losses[k];
  }
  Decision decision{};
  decision.good = isfinite(sum);
  if (!decision.good) {
    u.tally[1] += 1.0;
    u.tally[2] += 1.0;
    u.tally[3] *= u.shrinkage;
    decision_of(u) = decision;
    return;
  }
  if (u.tally[2] < u.patience) {  // otherwise the run is over; the host will notice
    u.tally[2] = 0.0;
  }
  const double lr = *u.lr * u.tally[3];
  if (u.second != nullptr) {
    u.decays[0] *= u.beta1;
    u.decays[1] *= u.beta2;
    decision.rate = static_cast<float>(lr / (1.0 - u.decays[0]));
    decision.root = static_cast<float>(1.0 / sqrt(1.0 - u.decays[1]));
  } else {
    const bool restarted = u.restart && all.second < 0.0;
    u.tally[0] += restarted ? 1.0 : 0.0;
    decision.rate = static_cast<float>(lr);
    decision.kept = restarted ? 0.0F : u.momentum;
  }
  decision_of(u) = decision;
}

// The last block to finish adds the results of all blocks, in the blocks' order.
// Grid: update_blocks blocks of `threads`; each thread handles numbers at a stride of the whole grid.
__global__ void sum_products(Update u) {
  __shared__ bool last;
  Totals mine{0.0, 0.0};
  const bool velocity = u.second == nullptr && u.restart;
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < u.count; i += update_blocks * threads) {
    const double g = u.gradient[i];
    mine.first += g * g;
    mine.second += velocity ? g * u.first[i] : 0.0;
  }
  mine = block_sum(mine);
  if (threadIdx.x == 0) {
    u.workspace[2 * blockIdx.x] = mine.first;
    u.workspace[2 * blockIdx.x + 1] = mine.second;
    __threadfence();
    last = atomicAdd(&done_of(u), 1U) == update_blocks - 1;
  }
  __syncthreads();
  if (!last) {
    return;
  }
  __threadfence();
  const volatile double* const partials = u.workspace;
  const int i = static_cast<int>(threadIdx.x);
  const Totals all =
      block_sum(i < update_blocks ? Totals{partials[2 * i], partials[2 * i + 1]} : Totals{0.0, 0.0});
  if (threadIdx.x == 0) {
    done_of(u) = 0;
    decide(u, all);
  }
}

// Grid: one number per thread, at most 2,048 blocks; beyond that, threads continue at a stride of the grid.
__global__ void take_step(Update u) {
  const Decision decision = decision_of(u);
  const bool adam = u.second != nullptr;
  const auto new1 = static_cast<float>(1.0 - u.beta1);
  const auto old2 = static_cast<float>(u.beta2);
  const auto new2 = static_cast<float>(1.0 - u.beta2);
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < u.count; i += gridDim.x * threads) {
    if (!decision.good) {
      u.parameters[i] = u.last_good[i];
      if (!adam) {
        u.first[i] = 0.0F;
      }
      continue;
    }
    const float p = u.parameters[i];
    const float g = u.gradient[i];
    u.last_good[i] = p;
    if (adam) {
      const float mean = u.first[i] + new1 * (g - u.first[i]);
      const float square = old2 * u.second[i] + new2 * g * g;
      u.first[i] = mean;
      u.second[i] = square;
      u.parameters[i] = p - decision.rate * mean / (sqrtf(square) * decision.root + adam_epsilon);
    } else {
      const float v = decision.kept * u.first[i] + g;
      u.first[i] = v;
      u.parameters[i] = p - decision.rate * v;
    }
  }
}

}  // namespace

void update(const Update& update, cudaStream_t stream) {
  sum_products<<<update_blocks, threads, 0, stream>>>(update);
  const std::int64_t filled = (update.count + threads - 1) / threads;
  take_step<<<static_cast<unsigned>(filled < 2048 ? filled : 2048), threads, 0, stream>>>(update);
}

}  // namespace pair::device::cuda
