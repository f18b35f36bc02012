// A program that profiles itself: a ConfigManager in its own code, started between marks.
#include <caliper/cali-manager.h>
#include <caliper/cali.h>
#include <cstdio>

static double work(int n) {
    CALI_CXX_MARK_FUNCTION;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += i * 0.5;
    return sum;
}

int main() {
    CALI_MARK_BEGIN("before");
    cali::ConfigManager manager;
    manager.add("runtime-report(output=stdout,time.exclusive=false,region.count)");
    manager.start();
    CALI_MARK_BEGIN("solve");
    double sum = 0;
    for (int i = 0; i < 10; i++) sum += work(1000);
    CALI_MARK_END("solve");
    CALI_MARK_END("before");
    manager.flush();
    std::printf("%.1f\n", sum);
    return 0;
}
