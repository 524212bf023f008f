#include "sluice-scheduler.h"

#include "ns3/simulator.h"

namespace ns3 {

NS_OBJECT_ENSURE_REGISTERED(SluiceScheduler);

SluiceEvent::SluiceEvent(Kind kind, uint64_t place, std::function<void()> what)
    : kind(kind), place(place), m_what(std::move(what)) {}

void SluiceEvent::Plan(Time delay, Kind kind, uint32_t node, uint16_t port, uint32_t context,
                       std::function<void()> what) {
  uint64_t place = static_cast<uint64_t>(node) << 16 | port;
  Simulator::ScheduleWithContext(context, delay, new SluiceEvent(kind, place, std::move(what)));
}

TypeId SluiceScheduler::GetTypeId() {
  static TypeId tid = TypeId("ns3::SluiceScheduler")
                          .SetParent<Scheduler>()
                          .AddConstructor<SluiceScheduler>();
  return tid;
}

SluiceScheduler::Key SluiceScheduler::KeyOf(const Event& event) {
  if (auto placed = dynamic_cast<const SluiceEvent*>(event.impl)) {
    return {event.key.m_ts, placed->kind, placed->place, event.key.m_uid};
  }
  return {event.key.m_ts, SluiceEvent::Other, 0, event.key.m_uid};
}

void SluiceScheduler::Insert(const Event& event) { m_events.emplace(KeyOf(event), event); }

Scheduler::Event SluiceScheduler::RemoveNext() {
  Event next = PeekNext();
  m_events.erase(m_events.begin());
  return next;
}

void SluiceScheduler::Remove(const Event& event) { m_events.erase(KeyOf(event)); }

}  // namespace ns3
