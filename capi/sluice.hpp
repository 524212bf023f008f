/**
 * @file sluice.hpp
 * sluice.h for C++17: handles that free themselves, errors as exceptions with the text, and a
 * driver: FIFOs, the order of what leaves, and wakes. sluice.h says what the calls mean.
 *
 * What a simulator or a switch has to do with a driver, `D`:
 *
 *   a packet came in             D.enqueue(now, port, packet, yours)
 *   it goes no further           D.consume(now, port, packet)
 *   a control frame came in      D.receive(now, port, bytes)
 *   a transmitter is free again  D.ready(now, port)
 *   the time has come            D.expire(now), when D.deadline() is now
 *   a link fails, is there again D.down(now, port), D.up(now, port)
 *
 * and what the driver calls, of an object of yours, `Output`:
 *
 *   bool free(port)                           is the transmitter idle? If not, call ready when it is
 *   void send(port, sluice_packet, yours)     transmit it: the transmitter is busy from now on
 *   void send_frame(port, sluice::frame)      the same for a control frame
 *   void drop(port, why, yours)               the machine discarded a packet: sluice_reason
 */
#ifndef SLUICE_HPP
#define SLUICE_HPP

#include "sluice.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/** Bytes that the caller keeps: made of a std::span, too. */
class bytes {
 public:
  /** None. */
  constexpr bytes() = default;
  /** size bytes, from data on. */
  constexpr bytes(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}
  /** Of anything contiguous that has data() and size(): std::vector, std::array, std::span. */
  template <class Range, class = decltype(std::declval<const Range &>().data())>
  constexpr bytes(const Range &r) : data_(r.data()), size_(r.size()) {}
  /** Where they begin. */
  constexpr const std::uint8_t *data() const { return data_; }
  /** How many they are. */
  constexpr std::size_t size() const { return size_; }
  /** As a range: the first. */
  constexpr const std::uint8_t *begin() const { return data_; }
  /** As a range: behind the last. */
  constexpr const std::uint8_t *end() const { return data_ + size_; }

 private:
  const std::uint8_t *data_ = nullptr;
  std::size_t size_ = 0;
};

/** What a call was refused for: the text, and a SLUICE_E_ code. */
class error : public std::runtime_error {
 public:
  /** Of a code and a text. */
  error(std::int32_t code, const std::string &text) : std::runtime_error(text), code_(code) {}
  /** SLUICE_E_CONFIG and so on; what() has the text. */
  std::int32_t code() const noexcept { return code_; }

 private:
  std::int32_t code_;
};

/** Throws what a function wrote, unless its status is a success. @returns the status */
template <class Status>
Status check(Status status, const sluice_error &e) {
  if (status < 0) throw error(e.code, e.text);
  return status;
}

/** Throws if a status is an error, and says of what: "sluice_network_connect". @returns the status */
template <class Status>
Status check(Status status, const char *what) {
  if (status < 0)
    throw error(static_cast<std::int32_t>(status), std::string(what) + " was refused");
  return status;
}

/** Owns a handle and frees it; it can be moved, not copied. */
template <class Handle, std::int32_t (*Free)(Handle)>
class owner {
 public:
  /** Owns no handle. */
  owner() = default;
  /** Owns a handle, and alone frees it. */
  explicit owner(Handle h) noexcept : handle_(h) {}
  /** The other owner owns no handle from then on. */
  owner(owner &&other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
  /** The two exchange what they own. */
  owner &operator=(owner &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~owner() {
    if (handle_) Free(handle_);
  }
  /** The handle, for functions of sluice.h. */
  Handle get() const noexcept { return handle_; }
  /** Whether there is one. */
  explicit operator bool() const noexcept { return handle_ != 0; }

 private:
  Handle handle_ = 0;
};

/** Makes an owner of what a function of sluice.h that writes an error makes. */
template <class Owner, class... Arguments, class Make>
Owner make(Make function, Arguments... arguments) {
  sluice_error e;
  auto handle = function(arguments..., &e);
  if (!handle) throw error(e.code, e.text);
  return Owner(handle);
}

/** What functions that write text write. @throws error */
template <class Write>
std::string text_of(Write write) {
  std::string text;
  auto size = check(write(nullptr, 0), "a description");
  text.resize(static_cast<std::size_t>(size));
  write(text.data(), text.size());
  text.pop_back();
  return text;
}

/** What a drop's reason means. */
inline std::string reason(std::uint8_t why) {
  return text_of([why](char *to, std::size_t size) { return sluice_reason(why, to, size); });
}

/** The flow control of one device. */
class machine : public owner<sluice_machine, sluice_machine_free> {
 public:
  using owner::owner;
  /** sluice_machine_new. @throws error that names field, value and rule */
  machine(const std::string &protocol, const std::string &config)
      : owner(make<owner>(sluice_machine_new, protocol.c_str(), config.c_str())) {}
  /** Of the owner of a handle. */
  machine(owner &&other) noexcept : owner(std::move(other)) {}

  /** How many ports it has. */
  int ports() const { return check(sluice_ports(get()), "sluice_ports"); }
  /** How many queues each port has. */
  int queues() const { return check(sluice_queues(get()), "sluice_queues"); }
  /** What a port counted. */
  sluice_counters counted(std::uint16_t port) const {
    sluice_counters c;
    check(sluice_counted(get(), port, &c), "sluice_counted");
    return c;
  }
  /** SLUICE_DUMP, SLUICE_COUNTERS, SLUICE_SNAPSHOT or SLUICE_CONFIGURATION. */
  std::string describe(std::int32_t what) const {
    return text_of([this, what](char *to, std::size_t size) {
      return sluice_describe(get(), what, to, size);
    });
  }
  /** @throws error that names the invariant which does not hold */
  void audit() const {
    sluice_error e;
    check(sluice_audit(get(), &e), e);
  }
  /** Whether nothing is queued, paused or isolated; if not, and why is not null, what is. */
  bool quiescent(std::string *why = nullptr) const {
    sluice_error e;
    auto status = sluice_quiescent(get(), &e);
    if (status == SLUICE_OK) return true;
    if (status != SLUICE_E_BUSY) throw error(e.code, e.text);
    if (why) *why = e.text;
    return false;
  }
  /** Throws why the last call for this machine was refused. */
  [[noreturn]] void refuse() const {
    sluice_error e;
    sluice_machine_error(get(), &e);
    throw error(e.code, e.text);
  }
};

/** Hosts, switches and links, and the machines of all of them. */
class network : public owner<sluice_network, sluice_network_free> {
 public:
  /** sluice_network_new. @throws error in a child of fork */
  network() : owner(sluice_network_new()) {
    if (!*this) throw error(SLUICE_E_FORKED, "a network cannot be made in a child of fork");
  }
  /** Declares a host. @returns its number */
  std::uint32_t host() { return number(sluice_network_host(get()), "sluice_network_host"); }
  /** Declares a switch, 1 at the top of a rack, 2 a spine, 3 a core. @returns its number */
  std::uint32_t add_switch(int tier) {
    return number(sluice_network_switch(get(), tier), "sluice_network_switch");
  }
  /** Declares a link. @returns the ports at either end */
  std::pair<std::uint16_t, std::uint16_t> connect(std::uint32_t a, std::uint32_t b,
                                                  std::int64_t bits_per_second, sluice_time delay) {
    std::pair<std::uint16_t, std::uint16_t> at;
    check(sluice_network_connect(get(), a, b, bits_per_second, delay, &at.first, &at.second),
          "sluice_network_connect");
    return at;
  }
  /** Packets for a host leave a node by these ports. */
  void route(std::uint32_t at, std::uint32_t host, const std::vector<std::uint16_t> &ports) {
    check(sluice_network_route(get(), at, host, ports.data(), ports.size()),
          "sluice_network_route");
  }
  /** sluice_network_build. @throws error that names the parameter or the rule */
  sluice_traffic build(const std::string &protocol, const std::string &set = "",
                       std::uint8_t classes = 0, std::uint64_t seed = 0) {
    sluice_error e;
    sluice_traffic traffic;
    check(sluice_network_build(get(), protocol.c_str(), set.c_str(), classes, seed, &traffic, &e),
          e);
    return traffic;
  }
  /** The machine of a node of a network that is built. */
  machine make_machine(std::uint32_t node) const {
    return make<machine>(sluice_network_machine, get(), node);
  }
  /** sluice_network_path. @throws error unless the path ends at its destination */
  sluice_path path(std::uint32_t at, std::uint16_t ingress, const sluice_flow &flow) const {
    sluice_path p;
    check(sluice_network_path(get(), at, ingress, &flow, &p), "sluice_network_path");
    return p;
  }

 private:
  static std::uint32_t number(std::int32_t status, const char *what) {
    return static_cast<std::uint32_t>(check(status, what));
  }
};

/** A congestion detector of one queue. */
class marker : public owner<sluice_marker, sluice_marker_free> {
 public:
  /** sluice_marker_new. @throws error that names field, value and rule */
  marker(const std::string &kind, const std::string &config)
      : owner(make<owner>(sluice_marker_new, kind.c_str(), config.c_str())) {}
};

/** PCN's receiver of a flow. */
class pcn_receiver : public owner<sluice_pcn_receiver, sluice_pcn_receiver_free> {
 public:
  /** sluice_pcn_receiver_new. @throws error that names field, value and rule */
  explicit pcn_receiver(const std::string &config)
      : owner(make<owner>(sluice_pcn_receiver_new, config.c_str())) {}
};

/** PCN's sender of a flow. */
class pcn_sender : public owner<sluice_pcn_sender, sluice_pcn_sender_free> {
 public:
  /** sluice_pcn_sender_new. @throws error that names field, value and rule */
  explicit pcn_sender(const std::string &config)
      : owner(make<owner>(sluice_pcn_sender_new, config.c_str())) {}
};

/** A simulated network with its hosts. */
class simulator : public owner<sluice_simulator, sluice_simulator_free> {
 public:
  /** sluice_simulator_new. @throws error that names the line, the parameter or the field */
  explicit simulator(const std::string &topology, const std::string &protocol = "pfc",
                     const std::string &set = "", std::uint8_t data_class = 0,
                     std::uint64_t seed = 0)
      : owner(make<owner>(sluice_simulator_new, topology.c_str(), protocol.c_str(), set.c_str(),
                          data_class, seed)) {}
  /** Starts a message at the present. @returns its number @throws error that names the field */
  std::int64_t send(std::uint32_t src, std::uint32_t dst, std::int64_t bytes, std::uint64_t tag) {
    sluice_error e;
    return check(sluice_simulator_send(get(), src, dst, bytes, tag, &e), e);
  }
  /** A SLUICE_TIMER event comes after a time from the present. */
  void schedule(sluice_time after, std::uint64_t tag) {
    check(sluice_simulator_schedule(get(), after, tag), "sluice_simulator_schedule");
  }
  /** Lets time pass until the next event, or an instant. @returns false if none came until then
   * @throws error that says why nothing moves any more, although messages are under way */
  bool next(sluice_event &event, sluice_time until = SLUICE_NEVER) {
    sluice_error e;
    return check(sluice_simulator_next(get(), until, &event, &e), e) == 1;
  }
  /** The present. */
  sluice_time now() const { return sluice_simulator_now(get()); }
  /** Messages of which a packet or an acknowledgement is under way, or to come. */
  std::int64_t under_way() const { return sluice_simulator_under_way(get()); }
  /** What happened in the network so far. */
  sluice_simulator_counters counted() const {
    sluice_simulator_counters c;
    check(sluice_simulator_counted(get(), &c), "sluice_simulator_counted");
    return c;
  }
};

/** Hierarchical isolation queues of a port. */
class hiq : public owner<sluice_hiq, sluice_hiq_free> {
 public:
  /** sluice_hiq_new. @throws error that names field, value and rule */
  explicit hiq(const std::string &config) : owner(make<owner>(sluice_hiq_new, config.c_str())) {}
};

/** A control frame that is to be sent: its bytes are gone when Output::send_frame returns. */
struct frame {
  bytes data;            /**< for the wire, without check sequence */
  std::uint16_t overhead; /**< byte times on the wire beside them */
  std::string_view kind;  /**< "pause" */
};

/** A first-in-first-out queue in one piece of memory, which doubles when it is full and stays. */
template <class T>
class fifo {
 public:
  /** Is there nothing in it? */
  bool empty() const { return count_ == 0; }
  /** What is next, if there is something: it moves at a push. */
  T &front() { return all_[first_]; }
  /** Adds behind all others. */
  void push_back(T t) {
    if (count_ == all_.size()) grow();
    all_[(first_ + count_++) & (all_.size() - 1)] = std::move(t);
  }
  /** Takes the next, if there is something, out. */
  T pop_front() {
    T t = std::move(all_[first_]);
    first_ = (first_ + 1) & (all_.size() - 1);
    count_--;
    return t;
  }

 private:
  void grow() {
    std::vector<T> more(all_.empty() ? 4 : 2 * all_.size());
    for (std::size_t i = 0; i < count_; i++)
      more[i] = std::move(all_[(first_ + i) & (all_.size() - 1)]);
    all_.swap(more);
    first_ = 0;
  }

  std::vector<T> all_;  // of a power of two, or none
  std::size_t first_ = 0, count_ = 0;
};

/**
 * Drives a machine: keeps the packets, offers each free transmitter a frame, then a packet, and
 * asks again the ports that a hook names. Of sluice.h, a packet that finds the transmitter free
 * costs one call, another two; a port that has nothing to send costs none. Memory is what queues
 * held at most. Yours is what you keep with a packet, its bytes or a pointer; it has a default.
 */
template <class Yours, class Output>
class driver {
 public:
  /** The output stays yours, and has to live as long. */
  driver(machine m, Output &out)
      : machine_(std::move(m)),
        out_(out),
        perPort_(static_cast<std::size_t>(machine_.queues())),
        consumes_(check(sluice_consumes(machine_.get()), "sluice_consumes") == 1),
        ports_(static_cast<std::size_t>(machine_.ports())),
        fifos_(ports_.size() * perPort_),
        heads_(fifos_.size()),
        named_(ports_.size()) {}
  driver(const driver &) = delete;
  driver &operator=(const driver &) = delete;

  /** A packet for an egress port. @throws error if the port or its path cannot be */
  void enqueue(sluice_time now, std::uint16_t port, sluice_packet p, Yours yours) {
    item in{p, std::move(yours)};
    sluice_verdict v[2] = {SLUICE_REFUSED, SLUICE_REFUSED};
    int queue = SLUICE_NONE;
    bool passes = !running_ && port < ports_.size() && out_.free(port);
    if (passes)
      queue = sluice_pass(machine_.get(), now, port, &in.packet, heads(port), &frame_, v);
    else
      v[0] = sluice_enqueue(machine_.get(), now, port, &in.packet);
    if (v[0] == SLUICE_REFUSED || (queue < 0 && queue != SLUICE_NONE)) machine_.refuse();
    if (sluice_action(v[0]) == SLUICE_APPEND)
      push(port, sluice_queue(v[0]), std::move(in));
    else
      out_.drop(port, sluice_why(v[0]), std::move(in.yours));
    auto wake = sluice_verdict_wake(v[0]);
    if (passes && !wake) {
      running guard(running_);
      if (sent(port, queue, v[1])) serve(now, port);
    } else {
      kick(port);
    }
    act(now, wake);
  }

  /** A packet came in by a port and is not enqueued: delivered, or discarded. */
  void consume(sluice_time now, std::uint16_t port, sluice_packet p) {
    if (!consumes_) return;
    sluice_wake w = 0;
    hook(sluice_consume(machine_.get(), now, port, &p, &w));
    act(now, w);
  }

  /** A control frame came in, without check sequence. @returns false if the bytes are no frame,
   * which the machine counts */
  bool receive(sluice_time now, std::uint16_t port, bytes data) {
    sluice_wake w = 0;
    auto status = sluice_receive(machine_.get(), now, port, data.data(), data.size(), &w);
    if (status != SLUICE_E_FRAME) hook(status);
    act(now, w);
    return status == SLUICE_OK;
  }

  /** The transmitter of a port is free again. */
  void ready(sluice_time now, std::uint16_t port) {
    kick(port);
    settle(now);
  }

  /** When expire has something to do; SLUICE_NEVER if nothing is planned. It costs nothing where no
   * hook said that it changed. */
  sluice_time deadline() {
    if (std::exchange(moved_, false)) deadline_ = sluice_deadline(machine_.get());
    return deadline_;
  }

  /** Moves the origin of time: every time is less by so much from now on. */
  void rebase(sluice_time by) {
    hook(sluice_rebase(machine_.get(), by));
    moved_ = true;
  }

  /** The time has come that deadline named. */
  void expire(sluice_time now) {
    sluice_wake w = 0;
    hook(sluice_expire(machine_.get(), now, &w));
    act(now, w);
  }

  /** The link of a port failed. */
  void down(sluice_time now, std::uint16_t port) {
    sluice_wake w = 0;
    hook(sluice_link_down(machine_.get(), now, port, &w));
    act(now, w);
  }

  /** The link of a port is there again. */
  void up(sluice_time now, std::uint16_t port) {
    sluice_wake w = 0;
    hook(sluice_link_up(machine_.get(), now, port, &w));
    act(now, w);
  }

  /** Does what a wake asks for, which a function of sluice.h gave you. */
  void act(sluice_time now, sluice_wake w) {
    note(w);
    settle(now);
  }

  /** The machine. */
  const machine &get() const { return machine_; }

 private:
  struct item {
    sluice_packet packet;
    Yours yours;
  };

  struct port_state {
    std::size_t waiting = 0;  // packets in its queues
    bool woken = false;       // it is among kicks_
    bool owes = true;         // it may have a frame
  };

  struct running {  // calls from within Output leave what they wake to the call that is under way
    bool &is;
    explicit running(bool &b) : is(b) { is = true; }
    ~running() { is = false; }
  };

  std::size_t place(std::uint16_t port, std::uint16_t queue) const {
    return port * perPort_ + queue;
  }

  sluice_packet *const *heads(std::uint16_t port) const { return &heads_[place(port, 0)]; }

  void push(std::uint16_t port, std::uint16_t queue, item &&i) {
    auto at = place(port, queue);
    fifos_[at].push_back(std::move(i));
    ports_[port].waiting++;
    heads_[at] = &fifos_[at].front().packet;
  }

  item pop(std::uint16_t port, std::uint16_t queue) {
    auto at = place(port, queue);
    item head = fifos_[at].pop_front();
    ports_[port].waiting--;
    heads_[at] = fifos_[at].empty() ? nullptr : &fifos_[at].front().packet;
    return head;
  }

  void hook(std::int32_t status) const {
    if (status < 0) machine_.refuse();
  }

  void kick(std::uint16_t port) {
    if (port >= ports_.size())
      throw error(SLUICE_E_ARGUMENT, "the machine has no port " + std::to_string(port));
    if (std::exchange(ports_[port].woken, true)) return;
    kicks_.push_back(port);
  }

  void named(std::uint16_t port) {
    kick(port);
    ports_[port].owes = true;
  }

  void note(sluice_wake w) {
    if (w & SLUICE_WAKE_ONE) named(sluice_wake_port(w));
    if (w & SLUICE_WAKE_DEADLINE) moved_ = true;
    if (!(w & SLUICE_WAKE_SEVERAL)) return;
    int count = sluice_poll_ports(machine_.get(), named_.data(), named_.size());
    hook(count);
    for (int i = 0; i < count; i++) named(named_[static_cast<std::size_t>(i)]);
  }

  /** Lets ports send that may have something to send. */
  void settle(sluice_time now) {
    if (running_) return;
    running guard(running_);
    while (!kicks_.empty()) {
      auto port = kicks_.back();
      kicks_.pop_back();
      ports_[port].woken = false;
      serve(now, port);
    }
  }

  /** Sends what a port has while its transmitter is free. */
  void serve(sluice_time now, std::uint16_t port) {
    for (auto &p = ports_[port]; (p.owes || p.waiting > 0) && out_.free(port);) {
      sluice_verdict v;
      int queue = sluice_send(machine_.get(), now, port, heads(port), &frame_, &v);
      if (!sent(port, queue, v)) return;
    }
  }

  /** Does what sluice_send answered. @returns whether to ask again */
  bool sent(std::uint16_t port, int queue, sluice_verdict v) {
    if (queue == SLUICE_FRAME) {
      out_.send_frame(port, {{frame_.bytes, frame_.length}, frame_.overhead, frame_.kind});
      return true;
    }
    ports_[port].owes = false;
    if (queue == SLUICE_NONE) return false;
    hook(queue);
    take(port, static_cast<std::uint16_t>(queue), v);
    return true;
  }

  /** Takes the head of a queue out of it, to where its verdict says. */
  void take(std::uint16_t port, std::uint16_t queue, sluice_verdict v) {
    item head = pop(port, queue);
    note(sluice_verdict_wake(v));
    switch (sluice_action(v)) {
      case SLUICE_APPEND: return push(port, sluice_queue(v), std::move(head));
      case SLUICE_DROP: return out_.drop(port, sluice_why(v), std::move(head.yours));
    }
    auto &p = head.packet;
    p.ecn = sluice_mark(v);
    p.klass = sluice_class(v, p.klass);
    p.upstream_queue = queue;
    p.stamped = 1;
    sluice_path_advance(&p.path);
    out_.send(port, p, std::move(head.yours));
  }

  machine machine_;
  Output &out_;
  std::size_t perPort_;
  bool consumes_;  // consume is for something
  bool running_ = false;
  bool moved_ = true;  // the deadline
  sluice_time deadline_ = SLUICE_NEVER;
  std::vector<port_state> ports_;
  std::vector<fifo<item>> fifos_;  // by port, then queue
  std::vector<sluice_packet *> heads_;   // of them, null where they are empty
  std::vector<std::uint16_t> kicks_, named_;
  sluice_frame frame_;
};

}  // namespace sluice

#endif  // SLUICE_HPP
