#include "sluice-network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

SluiceNetwork::SluiceNetwork(sluice::simulator simulator, std::vector<uint32_t> hosts,
                             std::vector<double> bandwidths, Sent sent)
    : simulator_(std::move(simulator)), hosts_(std::move(hosts)),
      bandwidths_(std::move(bandwidths)), sent_(sent), finished_(hosts_.size()),
      left_(hosts_.size()) {}

SluiceNetwork::Exchange &SluiceNetwork::Channel::at(uint64_t number) {
  while (first + open.size() <= number) open.emplace_back();
  return open[number - first];
}

void SluiceNetwork::send(int src, int dst, int tag, uint64_t bytes, Handler over) {
  const Key key{src, dst, tag, bytes};
  Channel &channel = channels_[key];
  const uint64_t number = channel.sent++;
  channel.at(number);
  Handler arrived = [this, key, number] { arrive(key, number); };
  if (src == dst || sent_ == Sent::Arrived) {
    arrived = [arrived, over] { over(), arrived(); };
    over = [] {};
  }
  if (src == dst) return after(0, std::move(arrived));
  simulator_.send(host(src), host(dst), std::max<int64_t>(static_cast<int64_t>(bytes), 1),
                  messages_.put({std::move(arrived), std::move(over)}));
}

uint32_t SluiceNetwork::host(int rank) const {
  if (rank < 0 || static_cast<size_t>(rank) >= hosts_.size())
    throw std::invalid_argument("a message of or to rank " + std::to_string(rank) +
                                ", and ranks are 0 to " + std::to_string(hosts_.size() - 1));
  return hosts_[static_cast<size_t>(rank)];
}

void SluiceNetwork::receive(int src, int dst, int tag, uint64_t bytes, Handler received) {
  const Key key{src, dst, tag, bytes};
  Channel &channel = channels_[key];
  Exchange &exchange = channel.at(channel.wanted++);
  exchange.wanted = true;
  if (!exchange.arrived) {
    exchange.received = std::move(received);
    return;
  }
  settle(key, channel);
  after(0, std::move(received));
}

void SluiceNetwork::arrive(const Key &key, uint64_t number) {
  Channel &channel = channels_.at(key);
  Exchange &exchange = channel.at(number);
  exchange.arrived = true;
  if (!exchange.wanted) return;
  Handler received = std::move(exchange.received);
  settle(key, channel);
  received();
}

// Forgets what has arrived and was received, and the channel if nothing else is known of it.
void SluiceNetwork::settle(const Key &key, Channel &channel) {
  auto &open = channel.open;
  for (; !open.empty() && open.front().arrived && open.front().wanted; channel.first++)
    open.pop_front();
  if (open.empty()) channels_.erase(key);
}

void SluiceNetwork::after(sluice_time delay, Handler handler) {
  simulator_.schedule(delay, timers_.put(std::move(handler)));
}

void SluiceNetwork::finish(int rank) {
  const auto which = static_cast<size_t>(rank);
  if (!finished_.at(which)) left_--;
  finished_[which] = true;
}

void SluiceNetwork::attempt(const Handler &what) {
  try {
    what();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
}

void SluiceNetwork::background(uint32_t src, uint32_t dst, uint64_t bytes, sluice_time start) {
  after(start, [=] {
    simulator_.send(src, dst, static_cast<int64_t>(bytes), messages_.put({[] {}, [] {}}));
  });
}

void SluiceNetwork::run() {
  sluice_event event;
  while (left_ > 0) {
    if (failure_) std::rethrow_exception(failure_);
    if (!simulator_.next(event))
      throw std::runtime_error("nothing is left to happen, and " + waiting());
    Handler happened;  // out of its place first, which moves when the handler adds another
    switch (event.kind) {
      case SLUICE_ARRIVED: happened = std::move(messages_.at(event.tag).arrived); break;
      case SLUICE_DONE: happened = messages_.take(event.tag).done; break;
      case SLUICE_TIMER: happened = timers_.take(event.tag); break;
    }
    happened();
  }
}

std::string SluiceNetwork::waiting() const {
  std::string text = std::to_string(left_) + " ranks are not finished";
  for (const auto &[key, channel] : channels_) {
    if (channel.wanted <= channel.sent) continue;
    const auto [src, dst, tag, bytes] = key;
    text += "; rank " + std::to_string(dst) + " waits for " + std::to_string(bytes) +
            " bytes of rank " + std::to_string(src) + " with tag " + std::to_string(tag);
  }
  return text;
}

int SluiceRank::sim_send(void *, uint64_t count, int, int dst, int tag, AstraSim::sim_request *,
                         void (*handler)(void *), void *argument) {
  network_.attempt([=] { network_.send(rank, dst, tag, count, [=] { handler(argument); }); });
  return 0;
}

int SluiceRank::sim_recv(void *, uint64_t count, int, int src, int tag, AstraSim::sim_request *,
                         void (*handler)(void *), void *argument) {
  network_.attempt([=] { network_.receive(src, rank, tag, count, [=] { handler(argument); }); });
  return 0;
}

static long double picoseconds(AstraSim::time_type_e unit) {
  switch (unit) {
    case AstraSim::SE: return 1e12L;
    case AstraSim::MS: return 1e9L;
    case AstraSim::US: return 1e6L;
    case AstraSim::NS: return 1e3L;
    case AstraSim::FS: return 1e-3L;
  }
  throw std::invalid_argument("a time in unit " + std::to_string(unit));
}

void SluiceRank::sim_schedule(AstraSim::timespec_t delta, void (*handler)(void *),
                              void *argument) {
  network_.attempt([=] {
    network_.after(std::llround(delta.time_val * picoseconds(delta.time_res)),
                   [=] { handler(argument); });
  });
}

AstraSim::timespec_t SluiceRank::sim_get_time() {
  return {AstraSim::NS, static_cast<long double>(network_.simulator().now()) / 1000};
}
