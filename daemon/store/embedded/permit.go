// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/store/member"
)

// ErrLost reports that a member's directory lacks data that it had, or that this cannot be excluded. The member may not start: it would
// vote without what it has acknowledged, or create another store. The error's text has the remedy.
var ErrLost = errors.New("the store is not as this host left it")

// Permit decides, before a member starts, whether it may, and returns the configuration to start with. began reports whether the host knows
// of an existing store. A directory with data is accepted if its member is the one recorded beside it. An empty directory is accepted for a
// new member of a store: Permit asks the other members and refuses a member that has served before. If no member answers and the host may
// have served before, it refuses too. It takes at most askTimeout for each other member. A later attempt may succeed after ErrLost.
func (c Config) Permit(ctx context.Context, began bool) (Config, error) {
	was, err := member.ReadMarker(c.Dir)
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrLost, err)
	}
	held, err := member.Held(c.Dir)
	if err != nil {
		return c, nil // etcd reports a damaged log with the position
	}
	mark, noted := c.mark(), member.MarkerFile(c.Dir)
	if mark.Member != "" {
		was.Member, noted = mark.Member, c.Mark
	}
	c.Restored = held != "" && was.Member != "" && was.Member != held
	switch {
	case c.Restored && !c.NewStore:
		return c, fmt.Errorf("%w: %s has the data of member %s, and this host's member is %s (%s): mount the directory of this host; or, if the directory was restored from a snapshot, "+
			"start netmaster once with --new-store", ErrLost, c.Dir, held, was.Member, noted)
	case held != "":
		if err := member.Whole(c.Dir); err != nil {
			return c, c.damaged(err)
		}
		c.known, _ = member.Peers(c.Dir) // etcd reports a damaged database
		if err := c.solitary(ctx); err != nil {
			return c, err
		}
		return c.newest(held, mark)
	case c.Alone:
		return c, fmt.Errorf("%w: %s is empty, and --embedded-alone continues with the data of the directory: mount it, or restore a snapshot with contiv snapshot restore", ErrLost, c.Dir)
	}
	began = began || was.Member != ""
	if c.Existing || began {
		return c.fresh(ctx, began)
	}
	return c, nil
}

// fresh decides about an empty directory of a host that is to be a member of an existing store.
func (c Config) fresh(ctx context.Context, began bool) (Config, error) {
	others := c.others()
	standing, answered, silence := c.ask(ctx, others)
	switch {
	case answered == "" && c.NewStore:
		if c.Existing { // which may include removed members
			c.Existing, c.InitialCluster = false, nil
		}
		return c, nil
	case answered == "" && len(others) == 0:
		return c, fmt.Errorf("%w: %s is empty, and this host's cluster has a store: mount the file system of %s; or restore a snapshot with contiv snapshot restore; "+
			"or, to begin with an empty store, start netmaster once with --new-store", ErrLost, c.Dir, c.Dir)
	case answered == "":
		return c, fmt.Errorf("%w: %s is empty, and no other member of the store answers (%w), so it is unknown whether this one has served before: mount the file system of %s, or start "+
			"netmaster on %s; if the directories of all of them are lost, restore a snapshot with contiv snapshot restore, or begin with an empty store by --new-store", ErrLost, c.Dir, silence, c.Dir, strings.Join(others, ", "))
	case standing == served:
		return c, fmt.Errorf("%w: %s is empty, and the member at %s reports that this one has served before: mount the file system of %s; or, when the data is lost, replace the member: "+
			"run contiv replace %s on another host, and on this one the command that it prints", ErrLost, c.Dir, answered, c.Dir, c.Name)
	case standing == expected:
		c.Existing = true
		return c, nil
	}
	return c, fmt.Errorf("%w: %s is empty, and the member at %s reports that %s is not a member of the store: run contiv join --master with a token of contiv token create --master", ErrLost, c.Dir, answered, c.Name)
}

// others returns the peer URLs of the other members, in order: those of the configuration and those in the directory.
func (c *Config) others() (out []string) {
	for _, u := range c.InitialCluster {
		if u != c.PeerURL {
			out = append(out, u)
		}
	}
	for _, p := range c.known {
		if !c.is(p) {
			out = append(out, p.URLs...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// memberState is the state of a member as the others know it.
type memberState int

const (
	absent   memberState = iota // not a member
	expected                    // a member that has never served
	served                      // it has served
)

// Bounds of a request to another member.
const (
	askTimeout = 3 * time.Second
	maxAsked   = 1 << 20 // bytes
)

// ask returns the most advanced state that another member reports for this one, and that member's URL; "" if none answers, with the last
// error.
func (c *Config) ask(ctx context.Context, others []string) (most memberState, by string, silence error) {
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: c.clientTLS(), TLSHandshakeTimeout: askTimeout}
	visitor := &http.Client{Transport: transport, Timeout: askTimeout}
	for _, base := range others {
		got, err := c.memberState(ctx, visitor, base)
		if err != nil {
			silence = err
		} else if by == "" || got > most {
			most, by = got, base
		}
	}
	return most, by, silence
}

// memberState asks one member. A member that has served has announced its client URLs to the others.
func (c *Config) memberState(ctx context.Context, visitor *http.Client, base string) (memberState, error) {
	at, err := url.JoinPath(base, "members")
	if err != nil {
		return absent, err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return absent, err
	}
	answer, err := visitor.Do(q)
	if err != nil {
		return absent, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return absent, fmt.Errorf("%s: %s", at, answer.Status)
	}
	var members []struct {
		PeerURLs   []string `json:"peerURLs"`
		ClientURLs []string `json:"clientURLs"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAsked)).Decode(&members); err != nil {
		return absent, fmt.Errorf("%s: %w", at, err)
	}
	if len(members) == 0 {
		return absent, fmt.Errorf("%s: no members", at)
	}
	for _, m := range members {
		switch {
		case !slices.Contains(m.PeerURLs, c.PeerURL):
		case len(m.ClientURLs) > 0:
			return served, nil
		default:
			return expected, nil
		}
	}
	return absent, nil
}
