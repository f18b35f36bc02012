// Prints the variables and metadata that the real ConfigManager makes of a config string, as JSON.
#include <caliper/cali.h>
#include <string>
#include <map>
#include <vector>
#include <memory>
#include <sstream>
#define protected public
#include <caliper/ConfigManager.h>
#define protected public
#include <caliper/ChannelController.h>
#undef protected
#include <iostream>
#include <fstream>
#include <cstring>
namespace cali { class Caliper; class Channel;
struct CaliperService { const char* n; void (*f)(Caliper*, Channel*); };
namespace services { void add_service_specs(const CaliperService*); }
extern const char *builtin_mpi_option_specs,*builtin_openmp_option_specs,*builtin_libdw_option_specs,*builtin_cuda_option_specs,*builtin_rocm_option_specs,*builtin_kokkos_option_specs; }
using namespace cali;
static void dummy(Caliper*,Channel*){}
static std::string q(const std::string& s){ std::string r="\""; for(char c:s){ if(c=='"'||c=='\\'){r+='\\';r+=c;} else if(c=='\n') r+="\\n"; else r+=c;} return r+"\""; }
int main(int argc,char**argv){
  bool mpi = argc>1 && !strcmp(argv[1],"mpi");
  static const char* sp[]={"sampler","ompt","callpath","symbollookup","timestamp"};
  static CaliperService S[16]; int n=0; for(auto s:sp){ S[n++]={s,dummy}; } if(mpi){ S[n++]={"mpi",dummy}; S[n++]={"mpireport",dummy}; } S[n]={nullptr,nullptr};
  services::add_service_specs(S);
  std::string line; bool first=true; std::cout<<"{\n";
  while(std::getline(std::cin,line)){
    ConfigManager mgr;
    mgr.add_option_spec(builtin_openmp_option_specs); mgr.add_option_spec(builtin_libdw_option_specs);
    mgr.add_option_spec(builtin_mpi_option_specs);
    mgr.add(line.c_str());
    if(!first) std::cout<<",\n"; first=false;
    std::cout<<q(line)<<": ";
    if(mgr.error()){ std::cout<<"{\"error\": "<<q(mgr.error_msg())<<"}"; continue; }
    std::cout<<"[";
    bool f2=true;
    for(auto&c: mgr.get_all_channels()){
      if(!f2) std::cout<<", "; f2=false;
      std::cout<<"{\n  \"name\": "<<q(c->name())<<",\n  \"variables\": {";
      bool f3=true; for(auto&p:c->copy_config()){ if(!f3) std::cout<<","; f3=false; std::cout<<"\n    "<<q(p.first)<<": "<<q(p.second); }
      std::cout<<"\n  },\n  \"metadata\": {";
      f3=true; for(auto&p:c->metadata()){ if(!f3) std::cout<<","; f3=false; std::cout<<"\n    "<<q(p.first)<<": "<<q(p.second); }
      std::cout<<"\n  }\n}";
    }
    std::cout<<"]";
  }
  std::cout<<"\n}\n";
}
