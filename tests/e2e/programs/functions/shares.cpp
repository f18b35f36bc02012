// Three quarters of the time in a member of a plain class, one quarter in one of a template; exceptions between.
#include <cstdio>
#include <stdexcept>

static volatile double sink;

namespace heat {
class Solver {
 public:
  void heavy(long n);
};

__attribute__((noinline, noclone)) void Solver::heavy(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += static_cast<double>(i) * 0.5;
  sink = sum;
}

template <class T>
struct Light {
  void light(long n);
};

template <class T>
__attribute__((noinline, noclone)) void Light<T>::light(long n) {
  T sum = 0;
  for (long i = 0; i < n; i++) sum += static_cast<T>(i) * static_cast<T>(0.25);
  sink = static_cast<double>(sum);
}

__attribute__((noinline, noclone)) void refuse(int i) {
  if (i % 2 == 0) throw std::runtime_error("even");
}
}  // namespace heat

int main() {
  heat::Solver solver;
  heat::Light<double> light;
  for (int i = 0; i < 1500; i++) {
    solver.heavy(600000);
    light.light(200000);
    try {
      heat::refuse(i);
    } catch (const std::exception &) {
      sink = sink + 1;
    }
  }
  std::puts("done");
  return 3;
}
