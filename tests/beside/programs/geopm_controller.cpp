// GEOPM's own Controller, sampler of the application and tracer under a simulated clock: the program's
// marks on stdin, the trace in the file that argv[1] names.
//
//     cpus PACKAGES CPUS               signal NAME START RATE       (of the board)
//     start T PID CPUS...              region T PID NAME            sample T
//     enter T PID NAME   exit T PID NAME   epoch T PID   shutdown T PID
//
// Lines are in order of time. The loop's first step is the first sample; the program's marks up to a
// sample have happened when it is taken. What decides which steps write rows is the library's own.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "ApplicationIO.hpp"
#include "ApplicationRecordLog.hpp"
#include "ApplicationSamplerImp.hpp"
#include "ApplicationStatus.hpp"
#include "CombinedControl.hpp"
#include "CombinedSignal.hpp"
#include "Comm.hpp"
#include "Controller.hpp"
#include "EndpointPolicyTracer.hpp"
#include "EpochIOGroup.hpp"
#include "InitControl.hpp"
#include "PlatformIOImp.hpp"
#include "ProfileIOGroup.hpp"
#include "ProfileTracer.hpp"
#include "RecordFilter.hpp"
#include "Reporter.hpp"
#include "Scheduler.hpp"
#include "TimeIOGroup.hpp"
#include "Tracer.hpp"
#include "TreeComm.hpp"
#include "geopm/Agent.hpp"
#include "geopm/Agg.hpp"
#include "geopm/PlatformTopo.hpp"
#include "geopm/Endpoint.hpp"
#include "EndpointUser.hpp"
#include "geopm/Exception.hpp"
#include "geopm/Helper.hpp"
#include "geopm/SharedMemory.hpp"
#include "geopm_hash.h"
#include "geopm_hint.h"
#include "geopm_shmem.h"
#include "geopm_time.h"

using namespace geopm;

static const time_t BEGAN_S = 1000;
static double now_s;
static int packages = 1, cpus = 1;

// Every clock of this process.
extern "C" int clock_gettime(clockid_t, struct timespec *at) noexcept {
    at->tv_sec = BEGAN_S + (time_t)now_s;
    at->tv_nsec = (long)std::llround((now_s - std::floor(now_s)) * 1e9);
    return 0;
}

// Shared memory lies in the folder of the test, not where the service has its own.
std::string geopm::shmem_path_prof(const std::string &key, int pid, int) {
    char folder[4096];
    return std::string(getcwd(folder, sizeof folder)) + "/" + key + "-" + std::to_string(pid);
}

static geopm_time_s now() {
    geopm_time_s result;
    geopm_time(&result);
    return result;
}

struct Mark {
    std::string kind, name;
    double at_s;
    int pid;
    std::set<int> on;
};

// One process of the application, by what the library's own Profile calls.
struct Process {
    std::shared_ptr<SharedMemory> memory;
    std::unique_ptr<ApplicationRecordLog> log;
    std::set<int> on;
};

static std::deque<Mark> marks;
static std::deque<double> samples;
static std::map<int, Process> processes;
static std::shared_ptr<SharedMemory> status_memory;
static std::unique_ptr<ApplicationStatus> status;

static void set_hash(const Process &process, uint64_t hash, uint64_t hint) {
    for (int cpu : process.on) status->set_hash(cpu, hash, hint);
}

static void happen(const Mark &mark) {
    Process &process = processes.at(mark.pid);
    now_s = mark.at_s;
    uint64_t hash = geopm_crc32_str(mark.name.c_str());
    if (mark.kind == "start") {
        process.log->start_profile(now(), "demo");
        for (int cpu : process.on) process.log->affinity(now(), cpu);
        set_hash(process, GEOPM_REGION_HASH_UNMARKED, GEOPM_REGION_HINT_UNSET);
    } else if (mark.kind == "enter") {
        process.log->enter(hash, now());
        set_hash(process, hash, GEOPM_REGION_HINT_UNKNOWN);
    } else if (mark.kind == "exit") {
        process.log->exit(hash, now());
        set_hash(process, GEOPM_REGION_HASH_UNMARKED, GEOPM_REGION_HINT_UNSET);
    } else if (mark.kind == "epoch") process.log->epoch(now());
    else if (mark.kind == "shutdown") process.log->stop_profile(now(), "demo");
}

// Time goes on to the next sample; past the last one it stands.
static void go_on() {
    if (samples.empty()) return;
    double to = samples.front();
    samples.pop_front();
    while (!marks.empty() && marks.front().at_s <= to) {
        happen(marks.front());
        marks.pop_front();
    }
    now_s = to;
}

class Topology : public PlatformTopo {
public:
    int num_domain(int type) const override {
        return type == GEOPM_DOMAIN_BOARD ? 1
            : type == GEOPM_DOMAIN_PACKAGE || type == GEOPM_DOMAIN_MEMORY ? packages
            : type == GEOPM_DOMAIN_CPU || type == GEOPM_DOMAIN_CORE ? cpus : 0;
    }
    int domain_idx(int type, int cpu) const override {
        return type == GEOPM_DOMAIN_BOARD ? 0
            : type == GEOPM_DOMAIN_CPU || type == GEOPM_DOMAIN_CORE ? cpu : cpu / (cpus / packages);
    }
    bool is_nested_domain(int inner, int outer) const override {
        return inner == outer || outer == GEOPM_DOMAIN_BOARD || inner == GEOPM_DOMAIN_CPU;
    }
    std::set<int> domain_nested(int inner, int outer, int index) const override {
        std::set<int> result;
        for (int cpu = 0; cpu < cpus; cpu++)
            if (domain_idx(outer, cpu) == index) result.insert(domain_idx(inner, cpu));
        return result;
    }
};

// Signals of the board that grow by a rate.
class Node : public IOGroup {
public:
    struct Signal { std::string name; double start, rate; };
    std::vector<Signal> all;
    double read_at_s = 0;

    int find(const std::string &name) const {
        for (size_t i = 0; i < all.size(); i++) if (all[i].name == name) return (int)i;
        return -1;
    }
    std::set<std::string> signal_names() const override {
        std::set<std::string> names;
        for (const Signal &signal : all) names.insert(signal.name);
        return names;
    }
    std::set<std::string> control_names() const override { return {}; }
    bool is_valid_signal(const std::string &name) const override { return find(name) >= 0; }
    bool is_valid_control(const std::string &) const override { return false; }
    int signal_domain_type(const std::string &name) const override {
        return find(name) < 0 ? GEOPM_DOMAIN_INVALID : GEOPM_DOMAIN_BOARD;
    }
    int control_domain_type(const std::string &) const override { return GEOPM_DOMAIN_INVALID; }
    int push_signal(const std::string &name, int, int) override { return find(name); }
    int push_control(const std::string &, int, int) override { return -1; }
    void read_batch() override { read_at_s = now_s; }
    void write_batch() override {}
    double sample(int i) override { return all[(size_t)i].start + all[(size_t)i].rate * read_at_s; }
    void adjust(int, double) override {}
    double read_signal(const std::string &name, int, int) override { return sample(find(name)); }
    void write_control(const std::string &, int, int, double) override {}
    void save_control() override {}
    void restore_control() override {}
    void save_control(const std::string &) override {}
    void restore_control(const std::string &) override {}
    std::function<double(const std::vector<double> &)> agg_function(const std::string &) const override {
        return Agg::select_first;
    }
    std::string signal_description(const std::string &name) const override { return name; }
    std::string control_description(const std::string &name) const override { return name; }
    int signal_behavior(const std::string &) const override { return M_SIGNAL_BEHAVIOR_VARIABLE; }
    std::string name() const override { return "NODE"; }
};

class Waiting : public Agent {
public:
    void init(int, const std::vector<int> &, bool) override {}
    void validate_policy(std::vector<double> &) const override {}
    void split_policy(const std::vector<double> &, std::vector<std::vector<double>> &) override {}
    bool do_send_policy() const override { return false; }
    void aggregate_sample(const std::vector<std::vector<double>> &, std::vector<double> &) override {}
    bool do_send_sample() const override { return false; }
    void adjust_platform(const std::vector<double> &) override {}
    bool do_write_batch() const override { return false; }
    void sample_platform(std::vector<double> &) override {}
    void wait() override {
        if (samples.empty()) throw std::runtime_error("the loop goes on after the last sample");
        go_on();
    }
    std::vector<std::pair<std::string, std::string>> report_header() const override { return {}; }
    std::vector<std::pair<std::string, std::string>> report_host() const override { return {}; }
    std::map<uint64_t, std::vector<std::pair<std::string, std::string>>> report_region() const override {
        return {};
    }
    std::vector<std::string> trace_names() const override { return {}; }
    void trace_values(std::vector<double> &) override {}
    void enforce_policy(const std::vector<double> &) const override {}
};

class NoReport : public Reporter {
public:
    typedef std::vector<std::pair<std::string, std::string>> Words;
    void init() override {}
    void update() override {}
    void generate(const std::string &, const Words &, const Words &, const std::map<uint64_t, Words> &,
                  const ApplicationIO &, std::shared_ptr<Comm>, const TreeComm &) override {}
    std::string generate(const std::string &, const std::string &, const Words &, const Words &,
                         const std::map<uint64_t, Words> &) override { return ""; }
    void total_time(double) override {}
    void overhead(double, double) override {}
};

class Alone : public TreeComm {
public:
    int num_level_controlled() const override { return 0; }
    int max_level() const override { return 1; }
    int root_level() const override { return 0; }
    int level_rank(int) const override { return 0; }
    int level_size(int) const override { return 1; }
    void send_up(int, const std::vector<double> &) override {}
    void send_down(int, const std::vector<std::vector<double>> &) override {}
    bool receive_up(int, std::vector<std::vector<double>> &) override { return false; }
    bool receive_down(int, std::vector<double> &) override { return false; }
    size_t overhead_send() const override { return 0; }
    void broadcast_string(const std::string &) {}
};

class Application : public ApplicationIO {
public:
    std::vector<int> connect() override {
        std::vector<int> pids;
        for (const auto &process : processes) pids.push_back(process.first);
        return pids;
    }
    bool do_shutdown() override { return false; }
    std::set<std::string> region_name_set() const override { return {}; }
};

class NoControls : public InitControl {
public:
    void parse_input(const std::string &) override {}
    void write_controls() const override {}
};

class NoProfileTrace : public ProfileTracer {
public:
    void update(const std::vector<record_s> &) override {}
};

static void read_case(Node &node) {
    std::string line, kind;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        words >> kind;
        if (kind == "cpus") words >> packages >> cpus;
        else if (kind == "signal") {
            Node::Signal signal;
            words >> signal.name >> signal.start >> signal.rate;
            node.all.push_back(signal);
        } else if (kind == "sample") {
            double at_s;
            words >> at_s;
            samples.push_back(at_s);
        } else {
            Mark mark = {kind, "", 0, 0, {}};
            words >> mark.at_s >> mark.pid;
            if (kind == "start") for (int cpu; words >> cpu;) mark.on.insert(cpu);
            else words >> mark.name;
            if (kind == "start") processes[mark.pid].on = mark.on;
            marks.push_back(mark);
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    auto node = std::make_shared<Node>();
    read_case(*node);
    Topology topology;
    auto make = [](const char *what, int pid, size_t size) {
        return std::shared_ptr<SharedMemory>(
            SharedMemory::make_unique_owner(shmem_path_prof(what, pid, (int)geteuid()), size));
    };
    status_memory = make("status", getpid(), ApplicationStatus::buffer_size(cpus));
    status = ApplicationStatus::make_unique(cpus, status_memory);
    for (auto &process : processes) {
        process.second.memory = make("record-log", process.first, ApplicationRecordLog::buffer_size());
        process.second.log.reset(new ApplicationRecordLogImp(process.second.memory, process.first,
                                                             Scheduler::make_unique()));
    }
    ApplicationSamplerImp sampler(nullptr, topology, {}, false, "", {}, "demo", {}, Scheduler::make_unique());
    int failed = 0;
    try {
        go_on();
        std::list<std::shared_ptr<IOGroup>> groups = {
            std::make_shared<TimeIOGroup>(), node, std::make_shared<ProfileIOGroup>(topology, sampler),
            std::make_shared<EpochIOGroup>(topology, sampler)};
        PlatformIOImp platform(groups, topology);
        std::unique_ptr<Tracer> tracer(new TracerImp("start", argv[1], "node01", true, platform, topology, {}));
        std::vector<std::unique_ptr<Agent>> agents;
        agents.emplace_back(new Waiting);
        Controller controller(std::make_shared<NullComm>(), platform, "waiting", 0, 0,
                              std::unique_ptr<TreeComm>(new Alone), sampler, std::make_shared<Application>(),
                              std::unique_ptr<Reporter>(new NoReport), std::move(tracer), nullptr,
                              std::make_shared<NoProfileTrace>(), std::move(agents), {}, "", false, nullptr,
                              "", false, std::make_shared<NoControls>(), false);
        controller.run();
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        failed = 1;
    }
    status_memory->unlink();
    for (auto &process : processes) process.second.memory->unlink();
    return failed;
}
