// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/contiv/contiv/daemon/store/member"
)

// joinTimeout bounds the requests of Join together.
const joinTimeout = 15 * time.Second

// Join has a running store expect this member, as a learner, and returns the configuration for a start with an empty directory. clients are
// the client URLs of members of the store, of which one has to answer with a majority behind it. A member that the store expects already is
// success, and so is one that has served: Permit decides about both. Join blocks for at most 15 seconds. Errors: ErrLost, if the store has
// the name or the URL for another member, with the remedy; after others the member may be expected, and the caller may retry.
func (c Config) Join(ctx context.Context, clients []string) (Config, error) {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	client, err := clientv3.New(clientv3.Config{Context: ctx, Endpoints: clients, TLS: c.clientTLS(), Logger: zap.NewNop()})
	if err != nil {
		return c, err
	}
	defer func() { _ = client.Close() }()
	list, err := client.MemberList(ctx)
	if err != nil {
		return c, fmt.Errorf("list the members of the store at %v: %w", clients, err)
	}
	members := list.Members
	expected := slices.ContainsFunc(members, func(m *etcdserverpb.Member) bool { return slices.Contains(m.PeerURLs, c.PeerURL) })
	if err := c.conflicts(members); err != nil {
		return c, err
	}
	if !expected {
		added, err := client.MemberAddAsLearner(ctx, []string{c.PeerURL})
		if err != nil {
			return c, fmt.Errorf("add this member to the store at %v: %w", clients, err)
		}
		members = added.Members
	}
	c.Existing, c.InitialCluster = true, map[string]string{}
	for _, m := range members {
		name := m.Name
		switch {
		case len(m.PeerURLs) == 0:
			continue
		case slices.Contains(m.PeerURLs, c.PeerURL):
			name = c.Name
		case name == "": // it has not started
			name = "expected-" + member.ID(m.ID)
		}
		c.InitialCluster[name] = m.PeerURLs[0]
	}
	return c, nil
}

// conflicts returns ErrLost if the store has this member's name or URL for another member.
func (c *Config) conflicts(members []*etcdserverpb.Member) error {
	for _, m := range members {
		switch here := slices.Contains(m.PeerURLs, c.PeerURL); {
		case here && m.Name != "" && m.Name != c.Name:
			return fmt.Errorf("%w: member %s of the store serves others at %s: give this host an address of its own, or, when that member is gone for good, run contiv leave %s on another host",
				ErrLost, m.Name, c.PeerURL, m.Name)
		case !here && m.Name == c.Name:
			return fmt.Errorf("%w: the store has a member %s, at %v, and %s is empty: mount the file system of %s; or, when that member is gone for good, run contiv leave %s on another host",
				ErrLost, c.Name, m.PeerURLs, c.Dir, c.Dir, c.Name)
		}
	}
	return nil
}

// ClientURLs returns the URLs at which the members of the store serve clients, by name. A member that has never served is not among them.
func (s *Server) ClientURLs() map[string]string {
	out := map[string]string{}
	for _, m := range s.etcd.Server.Cluster().Members() {
		if len(m.ClientURLs) > 0 {
			out[m.Name] = m.ClientURLs[0]
		}
	}
	return out
}

// Empty reports whether the member's directory has no data. It returns an error if that cannot be read.
func (c *Config) Empty() (bool, error) {
	held, err := member.Held(c.Dir)
	return held == "" && err == nil, err
}

// Served reports whether the host has had a member of the store, by the records beside the directory.
func (c *Config) Served() (bool, error) {
	was, err := member.ReadMarker(c.Dir)
	if err != nil {
		return false, errors.Join(ErrLost, err)
	}
	return was.Member != "" || c.mark().Member != "", nil
}
