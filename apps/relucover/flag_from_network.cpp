// learn --from-network: exact moments of a given network instead of samples.
#include "relucover/learn_request.hpp"
#include "relucover/population.hpp"

namespace relucover::cli {

void add_from_network(Command& command, const std::shared_ptr<LearnRequest>& request) {
  command
      .add_text(
          "--from-network",
          [request](const std::string& file) {
            request->network = file;
            request->answer = [file](const LearnRequest& asked, Session& session) {
              if (asked.data.given()) throw std::invalid_argument("--from-network needs no DATA: give one of the two");
              LearnOptions options = asked.options;
              options.threads = asked.run.threads;
              options.time_limit = asked.run.time_limit;
              options.observer = &session.terminal();
              return learn_from_network(read_network(file), options);
            };
          },
          "Learn from the exact moments of this network instead of samples (methods hermite, hermite-printed; with several outputs the "
          "pure-neuron ones)")
      .type_name("FILE");
}

}  // namespace relucover::cli
