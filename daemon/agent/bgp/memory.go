// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/contiv/contiv/checksum"
	"github.com/contiv/contiv/ofnet"
)

// memory is what a Router has added to the switch, in the form of the file for the next agent: routes stay in the switch when an agent
// ends, and after another starts until that has learned its own.
type memory struct {
	Config Config
	Router ofnet.Router
	Hops   [][]ofnet.NextHop
	Routes map[netip.Prefix]int // indexes in Hops
}

// keep is what is kept of an earlier agent.
type keep struct {
	config   Config
	routes   map[netip.Prefix][]netip.Addr
	macs     map[netip.Addr]ofnet.MAC
	until    time.Time
	complete bool // all peers are back, as of the last look
}

// saveInterval is the minimum time between two writes of the file.
const saveInterval = time.Second

// remember writes the file if it is outdated.
func (r *Router) remember() error {
	if r.o.Memory == "" || !r.forgetful || time.Since(r.remembered) < saveInterval {
		return nil
	}
	if r.router.Port == 0 {
		if err := os.Remove(r.o.Memory); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget routes: %w", err)
		}
		r.forgetful = false
		return nil
	}
	if r.config == nil {
		return nil // the speaker does not start: the file is still correct
	}
	r.mu.Lock()
	m := memory{Config: *r.config, Router: r.router, Routes: make(map[netip.Prefix]int, len(r.table.routes))}
	indexes := map[string]int{} // in m.Hops, by name
	for p, name := range r.table.routes {
		index, listed := indexes[name]
		if !listed {
			index = len(m.Hops)
			indexes[name], m.Hops = index, append(m.Hops, r.table.hops[name].Hops)
		}
		m.Routes[p] = index
	}
	r.mu.Unlock()
	m.Config.Restarting = false
	if err := m.write(r.o.Memory); err != nil {
		return fmt.Errorf("remember routes: %w", err)
	}
	r.forgetful, r.remembered = false, time.Now()
	return nil
}

// write replaces the file as a whole.
func (m *memory) write(path string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(checksum.Seal(sealName, sealFormat, b))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// sealName and sealFormat are the type of the file and the number of its format. Files of earlier builds have neither, and no checksum.
const (
	sealName   = "routes"
	sealFormat = 1
)

// parseMemory parses the file's text, which must describe a possible switch.
func parseMemory(text []byte) (m memory, err error) {
	b, err := checksum.Open(sealName, sealFormat, text)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, err
	}
	if m.Router.Port == 0 || !m.Router.Addr.Is4() || m.Router.Addr6.IsValid() && !m.Router.Addr6.Is6() {
		return m, errors.New("there is no router")
	}
	for _, hops := range m.Hops {
		if len(hops) == 0 || len(hops) > 2*MaxHops || !slices.IsSortedFunc(hops, func(a, b ofnet.NextHop) int { return a.Addr.Compare(b.Addr) }) {
			return m, errors.New("next hops are none, too many, or not sorted")
		}
		for _, h := range hops {
			if !h.Addr.IsValid() || h.Addr.Zone() != "" {
				return m, errors.New("a next hop has no address")
			}
		}
	}
	for p, index := range m.Routes {
		if !p.IsValid() || p != p.Masked() || index < 0 || index >= len(m.Hops) {
			return m, fmt.Errorf("route %s is none", p)
		}
	}
	return m, nil
}

// Restore restores what an earlier agent has left in the switch, if its record is still the same. It is called when all records are known,
// before Run. The function that it returns adds everything to the State, and must be called in the same Update as everything else: flows
// that no State asks for are deleted.
func (r *Router) Restore() (put func(*ofnet.State)) {
	none := func(*ofnet.State) {}
	if r.o.Memory == "" {
		return none
	}
	b, err := os.ReadFile(r.o.Memory)
	if errors.Is(err, fs.ErrNotExist) {
		return none
	}
	var m memory
	if err == nil {
		m, err = parseMemory(b)
	}
	if err != nil {
		r.o.Log.Warn("saved routes of the previous agent not used", "file", r.o.Memory, "error", err)
		return none
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	routed := r.o.Records.BGP(r.o.Host)
	if routed == nil || m.Router.Tenant != r.o.Tenant {
		return none
	}
	if now, err := Parse(routed); err != nil || !now.equal(&m.Config) {
		return none
	}
	k := &keep{config: m.Config, routes: map[netip.Prefix][]netip.Addr{}, macs: map[netip.Addr]ofnet.MAC{}, until: time.Now().Add(restartTime * time.Second)}
	t := newTable()
	for p, index := range m.Routes {
		for _, h := range m.Hops[index] {
			k.routes[p] = append(k.routes[p], h.Addr)
			k.macs[h.Addr] = h.MAC
		}
		t.add(p, m.Hops[index])
	}
	t.number()
	r.kept, r.table, r.router = k, t, m.Router
	r.o.Log.Info("keeping routes of the previous agent until they are learned again", "routes", len(m.Routes))
	return func(s *ofnet.State) {
		router := m.Router
		s.Router = &router
		t.put(s)
	}
}

// keeps reports whether the kept routes belong to a configuration: sessions are then those of a speaker that restarts.
func (r *Router) keeps(c *Config) bool {
	r.mu.Lock()
	kept := r.kept
	r.mu.Unlock()
	if kept == nil {
		return false
	}
	if !kept.config.equal(c) {
		r.forget("the router's record has changed")
		return false
	}
	return true
}
