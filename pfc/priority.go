package pfc

import "github.com/sluicefc/sluice"

// DSCPMap says which class a packet has by its differentiated services code point, SONiC's
// DSCP_TO_TC_MAP.
type DSCPMap [64]sluice.Class

// PCPMap says which class a packet has by the priority code point of its VLAN tag, SONiC's
// DOT1P_TO_TC_MAP.
type PCPMap [8]sluice.Class

// Class returns the class of a packet whose IPv4 type of service or IPv6 traffic class is so: its
// upper six bits are the code point (RFC 2474), its lower two are ECN.
func (m *DSCPMap) Class(trafficClass uint8) sluice.Class { return m[trafficClass>>2] }

// Class returns the class of a packet whose VLAN tag has this control information: its upper three
// bits are the code point (IEEE 802.1Q clause 9.6).
func (m *PCPMap) Class(tagControl uint16) sluice.Class { return m[tagControl>>13] }

// ClassSelectors returns the map by class selector: the upper three bits of the code point are the
// class (RFC 2474 section 4.2.2).
func ClassSelectors() (m DSCPMap) {
	for i := range m {
		m[i] = sluice.Class(i >> 3)
	}
	return m
}

// SameClasses returns the map in which the code point is the class, as PFC's frames have it.
func SameClasses() (m PCPMap) {
	for i := range m {
		m[i] = sluice.Class(i)
	}
	return m
}
