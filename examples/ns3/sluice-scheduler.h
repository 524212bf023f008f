#ifndef SLUICE_SCHEDULER_H
#define SLUICE_SCHEDULER_H

#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/scheduler.h"

#include <functional>
#include <map>
#include <tuple>

namespace ns3 {

/// An event that says what it is and where: a SluiceScheduler orders events of one time by that,
/// as internal/lab/sim does.
class SluiceEvent : public EventImpl {
 public:
  /// Other events, such as applications that start, come between TransmitterFree and Deadline.
  enum Kind : uint32_t { Arrival, TransmitterFree, Other, Deadline };

  /// Plans an event after a delay, in the context of a node. The port is 0 for what has none.
  static void Plan(Time delay, Kind kind, uint32_t node, uint16_t port, uint32_t context,
                   std::function<void()> what);

  const Kind kind;
  const uint64_t place;

 private:
  SluiceEvent(Kind kind, uint64_t place, std::function<void()> what);
  void Notify() override { m_what(); }

  std::function<void()> m_what;
};

/// Orders events of one time by kind and place, and those alike as they were planned.
class SluiceScheduler : public Scheduler {
 public:
  static TypeId GetTypeId();

  void Insert(const Event& event) override;
  bool IsEmpty() const override { return m_events.empty(); }
  Event PeekNext() const override { return m_events.begin()->second; }
  Event RemoveNext() override;
  void Remove(const Event& event) override;

 private:
  using Key = std::tuple<uint64_t, uint32_t, uint64_t, uint32_t>;  // time, kind, place, number
  static Key KeyOf(const Event& event);

  std::map<Key, Event> m_events;
};

}  // namespace ns3

#endif
