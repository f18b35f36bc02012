/* Members, overloads and a nameless namespace: names that people write, not those of the file. */
#include <cstdio>
#include <ctime>

static double now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
#define KEPT __attribute__((noinline))
namespace heat {
class Solver {
public:
  KEPT explicit Solver(double s) : seconds_(s) { wait(); }
  KEPT ~Solver() {
    wait();
    __asm__ volatile("" ::: "memory");
  }
  KEPT int step(int n) { return wait() + n; }
  KEPT int step(double x) const { return wait() + (int)x; }

private:
  KEPT int wait() const {
    double until = now() + seconds_;
    while (now() < until) continue;
    return 1;
  }
  double seconds_;
};
} // namespace heat
namespace {
KEPT int hidden(int n) {
  __asm__ volatile("" ::: "memory");
  return n + 1;
}
} // namespace

int main() {
  int sum = 0;
  {
    heat::Solver solver(0.003);
    for (int i = 0; i < 3; i++) sum += solver.step(i) + solver.step(0.5);
  }
  for (volatile int i = 0; i < 4; i = i + 1) sum += hidden(i);
  printf("%d\n", sum);
}
