// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Root is the one row of table Open_vSwitch (ovs-vswitchd.conf.db(5)).
type Root struct {
	Version       string          // ovs_version
	DatapathTypes []string        // supported by ovs-vswitchd; "system" is among them whether or not the kernel has a datapath
	Datapaths     map[string]UUID // by type
	OtherConfig   map[string]string
	ExternalIDs   map[string]string
}

// BridgeRow is a row of table Bridge, without its ports: a bridge with a thousand ports would resend all of them with
// each change, and Port rows exist only while a bridge has them.
type BridgeRow struct {
	Name         string
	DatapathType string
	DatapathID   string // 16 hex digits, "" until ovs-vswitchd has made the bridge
	FailMode     string
	Protocols    []string
	Controllers  []UUID
	OtherConfig  map[string]string
	ExternalIDs  map[string]string
	FlowTables   map[int64]UUID
}

// PortRow is a row of table Port.
type PortRow struct {
	Name       string
	Interfaces []UUID
	Tag        []string // none, or the VLAN of an access port
	Trunks     []string // VLANs of a trunk; none: all
	VLANMode   string   // "" if tag and trunks determine it

	// Of a port of several interfaces; "" is Open vSwitch's default.
	BondMode, LACP string
	OtherConfig    map[string]string
}

// InterfaceRow is a row of table Interface.
type InterfaceRow struct {
	Name          string
	Type          string // "" is a device of the system
	OFPort        int64  // 0 until assigned, -1 when ovs-vswitchd could not open the device
	OFPortRequest int64
	Error         string
	MAC           string // mac_in_use
	LinkState     string // "up", "down", or "" while unknown
	Options       map[string]string
	ExternalIDs   map[string]string
}

// FlowTableRow is a row of table Flow_Table.
type FlowTableRow struct {
	Name string
}

// DatapathRow is a row of table Datapath.
type DatapathRow struct {
	Capabilities map[string]string // "true", "false" or a number, by name; empty until ovs-vswitchd has probed the datapath
	ExternalIDs  map[string]string
	Zones        map[int64]UUID // conntrack zones with a time-out policy
}

// column decodes one column into a row of type R.
type column[R any] struct {
	name   string
	decode func(*R, json.RawMessage) error
}

// col returns a column for the address of the field and its decoder.
func col[R, T any](name string, place func(*R) *T, decode func(json.RawMessage) (T, error)) column[R] {
	return column[R]{name, func(r *R, raw json.RawMessage) error {
		v, err := decode(raw)
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		*place(r) = v
		return nil
	}}
}

func optionalString(raw json.RawMessage) (string, error) { return decodeOptional(raw, decodeString) }
func optionalInt(raw json.RawMessage) (int64, error)     { return decodeOptional(raw, decodeInt) }
func stringSet(raw json.RawMessage) ([]string, error)    { return decodeSet(raw, decodeString) }
func numberSet(raw json.RawMessage) ([]string, error) {
	return decodeSet(raw, func(raw json.RawMessage) (string, error) {
		n, err := decodeInt(raw)
		return strconv.FormatInt(n, 10), err
	})
}
func uuidSet(raw json.RawMessage) ([]UUID, error) { return decodeSet(raw, decodeUUID) }

func rootColumns() []column[Root] {
	return []column[Root]{
		col("ovs_version", func(r *Root) *string { return &r.Version }, optionalString),
		col("datapath_types", func(r *Root) *[]string { return &r.DatapathTypes }, stringSet),
		col("datapaths", func(r *Root) *map[string]UUID { return &r.Datapaths },
			func(raw json.RawMessage) (map[string]UUID, error) { return decodeMap(raw, decodeString, decodeUUID) }),
		col("other_config", func(r *Root) *map[string]string { return &r.OtherConfig }, decodeStringMap),
		col("external_ids", func(r *Root) *map[string]string { return &r.ExternalIDs }, decodeStringMap),
	}
}

func datapathColumns() []column[DatapathRow] {
	return []column[DatapathRow]{
		col("capabilities", func(r *DatapathRow) *map[string]string { return &r.Capabilities }, decodeStringMap),
		col("external_ids", func(r *DatapathRow) *map[string]string { return &r.ExternalIDs }, decodeStringMap),
		col("ct_zones", func(r *DatapathRow) *map[int64]UUID { return &r.Zones },
			func(raw json.RawMessage) (map[int64]UUID, error) { return decodeMap(raw, decodeInt, decodeUUID) }),
	}
}

func bridgeColumns() []column[BridgeRow] {
	return []column[BridgeRow]{
		col("name", func(r *BridgeRow) *string { return &r.Name }, decodeString),
		col("datapath_type", func(r *BridgeRow) *string { return &r.DatapathType }, decodeString),
		col("datapath_id", func(r *BridgeRow) *string { return &r.DatapathID }, optionalString),
		col("fail_mode", func(r *BridgeRow) *string { return &r.FailMode }, optionalString),
		col("protocols", func(r *BridgeRow) *[]string { return &r.Protocols }, stringSet),
		col("controller", func(r *BridgeRow) *[]UUID { return &r.Controllers }, uuidSet),
		col("other_config", func(r *BridgeRow) *map[string]string { return &r.OtherConfig }, decodeStringMap),
		col("external_ids", func(r *BridgeRow) *map[string]string { return &r.ExternalIDs }, decodeStringMap),
		col("flow_tables", func(r *BridgeRow) *map[int64]UUID { return &r.FlowTables },
			func(raw json.RawMessage) (map[int64]UUID, error) { return decodeMap(raw, decodeInt, decodeUUID) }),
	}
}

func portColumns() []column[PortRow] {
	return []column[PortRow]{
		col("name", func(r *PortRow) *string { return &r.Name }, decodeString),
		col("interfaces", func(r *PortRow) *[]UUID { return &r.Interfaces }, uuidSet),
		col("tag", func(r *PortRow) *[]string { return &r.Tag }, numberSet),
		col("trunks", func(r *PortRow) *[]string { return &r.Trunks }, numberSet),
		col("vlan_mode", func(r *PortRow) *string { return &r.VLANMode }, optionalString),
		col("bond_mode", func(r *PortRow) *string { return &r.BondMode }, optionalString),
		col("lacp", func(r *PortRow) *string { return &r.LACP }, optionalString),
		col("other_config", func(r *PortRow) *map[string]string { return &r.OtherConfig }, decodeStringMap),
	}
}

func interfaceColumns() []column[InterfaceRow] {
	return []column[InterfaceRow]{
		col("name", func(r *InterfaceRow) *string { return &r.Name }, decodeString),
		col("type", func(r *InterfaceRow) *string { return &r.Type }, decodeString),
		col("ofport", func(r *InterfaceRow) *int64 { return &r.OFPort }, optionalInt),
		col("ofport_request", func(r *InterfaceRow) *int64 { return &r.OFPortRequest }, optionalInt),
		col("error", func(r *InterfaceRow) *string { return &r.Error }, optionalString),
		col("mac_in_use", func(r *InterfaceRow) *string { return &r.MAC }, optionalString),
		col("link_state", func(r *InterfaceRow) *string { return &r.LinkState }, optionalString),
		col("options", func(r *InterfaceRow) *map[string]string { return &r.Options }, decodeStringMap),
		col("external_ids", func(r *InterfaceRow) *map[string]string { return &r.ExternalIDs }, decodeStringMap),
	}
}

func flowTableColumns() []column[FlowTableRow] {
	return []column[FlowTableRow]{
		col("name", func(r *FlowTableRow) *string { return &r.Name }, optionalString),
	}
}
