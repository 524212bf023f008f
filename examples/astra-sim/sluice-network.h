// ASTRA-sim's network over the simulator of sluice: a SluiceNetwork for a run, and a SluiceRank for
// each rank, which is all that the rank's Sys knows of it.
#ifndef SLUICE_NETWORK_H
#define SLUICE_NETWORK_H

#include "astra-sim/common/AstraNetworkAPI.hh"

#include <sluice.hpp>

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

// Values by a number that is free again once its value is taken.
template <class T>
class Numbered {
 public:
  uint64_t put(T value) {
    if (free_.empty()) {
      values_.push_back(std::move(value));
      return values_.size() - 1;
    }
    const uint64_t number = free_.back();
    free_.pop_back();
    values_[number] = std::move(value);
    return number;
  }
  T &at(uint64_t number) { return values_.at(number); }
  T take(uint64_t number) {
    T value = std::move(values_.at(number));
    free_.push_back(number);
    return value;
  }

 private:
  std::vector<T> values_;
  std::vector<uint64_t> free_;
};

class SluiceNetwork {
 public:
  using Handler = std::function<void()>;

  // When a send is over: its last acknowledgement is back, or, as in the analytical backend, the
  // message has arrived.
  enum class Sent { Acknowledged, Arrived };

  // Ranks are on these hosts, in this order. Bandwidths are of the dimensions, in GB/s.
  SluiceNetwork(sluice::simulator simulator, std::vector<uint32_t> hosts,
                std::vector<double> bandwidths, Sent sent);

  // The first receive of a pair, tag and size gets the first message of these, and so on, whatever
  // comes first.
  void send(int src, int dst, int tag, uint64_t bytes, Handler over);
  void receive(int src, int dst, int tag, uint64_t bytes, Handler received);
  void after(sluice_time delay, Handler handler);
  void finish(int rank);
  // Does something that may throw: run throws it. Sys would log it and go on.
  void attempt(const Handler &what);

  // Other traffic: a message between hosts that no rank waits for.
  void background(uint32_t src, uint32_t dst, uint64_t bytes, sluice_time start);

  // Lets time pass until all ranks are finished. Throws what they wait for if nothing is left.
  void run();

  const sluice::simulator &simulator() const { return simulator_; }
  double bandwidth(int dimension) const { return bandwidths_.at(static_cast<size_t>(dimension)); }

 private:
  using Key = std::tuple<int, int, int, uint64_t>;  // source, destination, tag, bytes
  struct Exchange {
    bool arrived = false, wanted = false;
    Handler received;
  };
  struct Channel {
    uint64_t sent = 0, wanted = 0, first = 0;
    std::deque<Exchange> open;  // the first is number first
    Exchange &at(uint64_t number);
  };
  struct Message {
    Handler arrived, done;
  };

  void arrive(const Key &key, uint64_t number);
  void settle(const Key &key, Channel &channel);
  std::string waiting() const;
  uint32_t host(int rank) const;

  sluice::simulator simulator_;
  std::vector<uint32_t> hosts_;
  std::vector<double> bandwidths_;
  Sent sent_;
  std::vector<bool> finished_;
  size_t left_;
  std::exception_ptr failure_;
  std::map<Key, Channel> channels_;
  Numbered<Message> messages_;
  Numbered<Handler> timers_;
};

class SluiceRank : public AstraSim::AstraNetworkAPI {
 public:
  SluiceRank(SluiceNetwork &network, int rank) : AstraNetworkAPI(rank), network_(network) {}

  int sim_send(void *buffer, uint64_t count, int type, int dst, int tag,
               AstraSim::sim_request *request, void (*handler)(void *), void *argument) override;
  int sim_recv(void *buffer, uint64_t count, int type, int src, int tag,
               AstraSim::sim_request *request, void (*handler)(void *), void *argument) override;
  void sim_schedule(AstraSim::timespec_t delta, void (*handler)(void *), void *argument) override;
  AstraSim::timespec_t sim_get_time() override;
  double get_BW_at_dimension(int dimension) override { return network_.bandwidth(dimension); }
  void sim_notify_finished() override { network_.finish(rank); }

 private:
  SluiceNetwork &network_;
};

#endif
