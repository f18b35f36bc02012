// A parallel loop in a function of a template with a long name: g++ -fopenmp.
#include <cstdio>
#include <vector>

namespace heat {
template <class T> struct Wrapped { T value; };

template <class T> struct Solver {
    std::vector<double> data;
    __attribute__((noipa)) void twice(const T &by);
};

template <class T> void Solver<T>::twice(const T &) {
    double *to = data.data();
#pragma omp parallel for
    for (int i = 0; i < 1000; i++) to[i] += i;
#pragma omp parallel for
    for (int i = 0; i < 1000; i++) to[i] += 1;
}
}  // namespace heat

template <int N> struct Deep { typedef heat::Wrapped<typename Deep<N - 1>::type> type; };
template <> struct Deep<0> { typedef double type; };

int main() {
    heat::Solver<unsigned long> brief;
    brief.data.resize(1000);
    brief.twice(1);
    // A name of more than 1000 characters.
    heat::Solver<Deep<100>::type> deep;
    deep.data.resize(1000);
    deep.twice(Deep<100>::type());
    std::printf("%.0f\n", brief.data[999] + deep.data[999]);
    return 0;
}
