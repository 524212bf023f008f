// sluice.hpp; with -DTIMED, so that its calls of hooks are counted and timed: timed::run says how
// many there were, and how much of the run was in them. What the clock costs is taken out.
#ifndef TIMED_HPP
#define TIMED_HPP

#include "sluice.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace timed {

#ifdef TIMED
inline uint64_t clock() {
#ifdef __x86_64__
  return __builtin_ia32_rdtsc();
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

enum { CALLS = 10 };
inline uint64_t calls[CALLS], ticks[CALLS];
inline const char *names[CALLS] = {"enqueue", "poll", "dequeue", "send", "pass", "receive",
                                   "consume", "expire", "deadline", "poll_ports"};

struct watch {
  int of;
  uint64_t began = clock();
  explicit watch(int i) : of(i) {}
  ~watch() { ticks[of] += clock() - began, calls[of]++; }
};

template <class F, class... A>
auto call(int of, F f, A &&...a) {
  watch w(of);
  return f(std::forward<A>(a)...);
}

#define sluice_enqueue(...) timed::call(0, sluice_enqueue, __VA_ARGS__)
#define sluice_poll(...) timed::call(1, sluice_poll, __VA_ARGS__)
#define sluice_dequeue(...) timed::call(2, sluice_dequeue, __VA_ARGS__)
#define sluice_send(...) timed::call(3, sluice_send, __VA_ARGS__)
#define sluice_pass(...) timed::call(4, sluice_pass, __VA_ARGS__)
#define sluice_receive(...) timed::call(5, sluice_receive, __VA_ARGS__)
#define sluice_consume(...) timed::call(6, sluice_consume, __VA_ARGS__)
#define sluice_expire(...) timed::call(7, sluice_expire, __VA_ARGS__)
#define sluice_deadline(...) timed::call(8, sluice_deadline, __VA_ARGS__)
#define sluice_poll_ports(...) timed::call(9, sluice_poll_ports, __VA_ARGS__)
#endif

template <class F>
void run(F body) {
#ifdef TIMED
  double clock_costs = 1e18;
  for (int i = 0; i < 100; i++) {
    auto began = clock();
    for (int j = 0; j < 100; j++) {
      watch w(0);
    }
    clock_costs = std::min(clock_costs, static_cast<double>(clock() - began) / 100);
  }
  ticks[0] = calls[0] = 0;
  auto began = clock();
  auto begin = std::chrono::steady_clock::now();
  body();
  double all = static_cast<double>(clock() - began);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double within = 0, measured = 0;
  uint64_t count = 0;
  for (int i = 0; i < CALLS; i++) {
    double own = static_cast<double>(ticks[i]) - clock_costs / 2 * static_cast<double>(calls[i]);
    within += own, measured += clock_costs * static_cast<double>(calls[i]), count += calls[i];
    if (calls[i])
      std::fprintf(stderr, "%10llu %-10s %6.1f ns\n", static_cast<unsigned long long>(calls[i]),
                   names[i], 1e9 * own / all * seconds / static_cast<double>(calls[i]));
  }
  std::fprintf(stderr, "%10llu calls, %.1f %% of %.3f s\n", static_cast<unsigned long long>(count),
               100 * within / (all - measured), (all - measured) / all * seconds);
#else
  body();
#endif
}

}  // namespace timed

#include "sluice.hpp"

#endif  // TIMED_HPP
