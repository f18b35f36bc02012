// GEOPM's own SampleAggregator over rows of signals: the case on stdin, every result on stdout.
//
//     topology PACKAGES CORES          signal NAME DOMAIN AGGREGATION BEHAVIOR
//     period SECONDS                   push MODE NAME DOMAIN INDEX
//     region HASH                      row VALUES... (of every signal in order, instance by instance)
//
// After each row a line for each push: application, epoch, its last, period's last, then of each
// region the total and the last. Aggregation over domains is the library's own too.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "SampleAggregatorImp.hpp"
#include "geopm/Agg.hpp"
#include "geopm/IOGroup.hpp"
#include "geopm/PlatformIO.hpp"
#include "geopm/PlatformIOProf.hpp"
#include "geopm/PlatformTopo.hpp"

using geopm::Agg;
typedef std::vector<double> Row;
typedef std::function<double(const Row &)> Combine;

struct Signal {
    std::string name;
    int domain, behavior;
    Combine combine;
    size_t first;
};
struct Pushed {
    size_t signal;
    int domain, index;
};

static int packages = 1, cores = 1;

static int domain_of(const std::string &name) {
    return name == "board" ? GEOPM_DOMAIN_BOARD : name == "package" ? GEOPM_DOMAIN_PACKAGE : GEOPM_DOMAIN_CPU;
}
static int count_of(int domain) {
    return domain == GEOPM_DOMAIN_BOARD ? 1 : domain == GEOPM_DOMAIN_PACKAGE ? packages : packages * cores;
}
static Combine combine_of(const std::string &name) {
    return name == "sum" ? Agg::sum : name == "min" ? Agg::min : name == "average" ? Agg::average
        : name == "region_hash" ? Agg::region_hash : Agg::select_first;
}

// Signals are rows that the test made; everything that an aggregator does not ask for is refused.
class Rows : public geopm::PlatformIO {
public:
    std::vector<Signal> signals;
    std::vector<Pushed> pushed;
    size_t width = 0;
    Row row;

    const Signal &at(const std::string &name) const {
        for (const Signal &signal : signals) if (signal.name == name) return signal;
        throw std::runtime_error("no signal " + name);
    }
    int push_signal(const std::string &name, int domain, int index) override {
        size_t signal = (size_t)(&at(name) - signals.data());
        for (size_t i = 0; i < pushed.size(); i++) {
            const Pushed &p = pushed[i];
            if (p.signal == signal && p.domain == domain && p.index == index) return (int)i;
        }
        pushed.push_back({signal, domain, index});
        return (int)pushed.size() - 1;
    }
    double sample(int handle) override {
        const Pushed &p = pushed[(size_t)handle];
        const Signal &signal = signals[p.signal];
        // Instances are numbered so that those inside a wider one are neighbours.
        int inside = count_of(signal.domain) / count_of(p.domain);
        auto first = row.begin() + (long)signal.first + p.index * inside;
        return signal.combine(Row(first, first + inside));
    }
    int signal_behavior(const std::string &name) const override { return at(name).behavior; }
    int signal_domain_type(const std::string &name) const override { return at(name).domain; }

    void register_iogroup(std::shared_ptr<geopm::IOGroup>) override { refuse(); }
    std::set<std::string> signal_names() const override { refuse(); }
    std::set<std::string> control_names() const override { refuse(); }
    int control_domain_type(const std::string &) const override { refuse(); }
    int push_control(const std::string &, int, int) override { refuse(); }
    void adjust(int, double) override { refuse(); }
    void read_batch() override { refuse(); }
    void write_batch() override { refuse(); }
    double read_signal(const std::string &, int, int) override { refuse(); }
    void write_control(const std::string &, int, int, double) override { refuse(); }
    void save_control() override { refuse(); }
    void restore_control() override { refuse(); }
    void save_control(const std::string &) override { refuse(); }
    void restore_control(const std::string &) override { refuse(); }
    Combine agg_function(const std::string &) const override { refuse(); }
    std::function<std::string(double)> format_function(const std::string &) const override { refuse(); }
    std::string signal_description(const std::string &) const override { refuse(); }
    std::string control_description(const std::string &) const override { refuse(); }
    void start_batch_server(int, const std::vector<geopm_request_s> &,
                            const std::vector<geopm_request_s> &, int &, std::string &) override { refuse(); }
    void stop_batch_server(int) override { refuse(); }

private:
    [[noreturn]] static void refuse() { throw std::runtime_error("not asked for by an aggregator"); }
};

geopm::PlatformIO &geopm::PlatformIOProf::platform_io() { throw std::runtime_error("the test has its own"); }

static double number(const std::string &word) { return word == "nan" ? NAN : std::stod(word); }

int main() {
    Rows rows;
    std::unique_ptr<geopm::SampleAggregatorImp> aggregator;
    std::vector<int> handles;
    std::vector<uint64_t> regions;
    std::string line, kind, name, domain, how, behavior;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        words >> kind;
        if (kind == "topology") words >> packages >> cores;
        else if (kind == "signal") {
            words >> name >> domain >> how >> behavior;
            int type = domain_of(domain), is_monotone = behavior == "monotone";
            int kind_of = is_monotone ? geopm::IOGroup::M_SIGNAL_BEHAVIOR_MONOTONE
                : behavior == "label" ? geopm::IOGroup::M_SIGNAL_BEHAVIOR_LABEL
                : geopm::IOGroup::M_SIGNAL_BEHAVIOR_VARIABLE;
            rows.signals.push_back({name, type, kind_of, combine_of(how), rows.width});
            rows.width += (size_t)count_of(type);
        } else if (kind == "period" || kind == "push") {
            if (!aggregator) aggregator.reset(new geopm::SampleAggregatorImp(rows));
            words >> how;
            if (kind == "period") { aggregator->period_duration(number(how)); continue; }
            int index;
            words >> name >> domain >> index;
            int type = domain_of(domain);
            handles.push_back(how == "total" ? aggregator->push_signal_total(name, type, index)
                : how == "average" ? aggregator->push_signal_average(name, type, index)
                : aggregator->push_signal(name, type, index));
        } else if (kind == "region") {
            uint64_t hash;
            words >> hash;
            regions.push_back(hash);
        } else if (kind == "row") {
            rows.row.clear();
            for (std::string word; words >> word;) rows.row.push_back(number(word));
            aggregator->update();
            for (int h : handles) {
                std::printf("%.17g %.17g %.17g %.17g", aggregator->sample_application(h),
                            aggregator->sample_epoch(h), aggregator->sample_epoch_last(h),
                            aggregator->sample_period_last(h));
                for (uint64_t region : regions)
                    std::printf(" %.17g %.17g", aggregator->sample_region(h, region),
                                aggregator->sample_region_last(h, region));
                std::printf(" %d\n", aggregator->get_period());
            }
        }
    }
    return 0;
}
