// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/hostinit"
)

// file is one that a daemon reads when it starts.
type file struct {
	part    string // that reads it
	pattern string // on the host; the newest that matches is meant
	mend    func(ctx context.Context, c *cluster, host, by string) error
}

// files are those in which bits are flipped. A file that a daemon needs is repaired as its log says.
func files() []file {
	const identity, member = hostinit.Inside + "/etc/contiv/cluster", storeDir + ".member"
	replaced := func(ctx context.Context, c *cluster, host, by string) error { return c.replace(ctx, host, by) }
	return []file{
		{lab.PartAgent, recordsFile, nil}, {lab.PartAgent, recordsFile, nil}, {lab.PartAgent, "/run/openvswitch/contiv0.routes", nil},
		{lab.PartAgent, "/run/openvswitch/contiv0.settings", nil}, {lab.PartAgent, identity, nil},
		{lab.PartMaster, identity, func(ctx context.Context, c *cluster, host, by string) error {
			return c.copied(ctx, by, host, identity)
		}},
		{lab.PartMaster, member, func(ctx context.Context, c *cluster, host, by string) error {
			_, err := c.runOn(ctx, host, "rm", member)
			return err
		}},
		{lab.PartMaster, storeDir + "/member/wal/*.wal", replaced}, {lab.PartMaster, storeDir + "/member/snap/db", replaced},
	}
}

// recordsFile is where an agent keeps what netmasters have sent it.
const recordsFile = "/run/openvswitch/contiv0.records"

const restartTimeout = 40 * time.Second // for a daemon with a damaged file to serve, or to log the reason

// flipBit ends a daemon, damages a file of it and starts it again. An agent does without the file. A netmaster does, or logs the remedy.
func (c *cluster) flipBit(ctx context.Context, r *rand.Rand) fault {
	ctx = context.WithoutCancel(ctx)
	all := files()
	at, of := r.IntN(len(hosts)), all[r.IntN(len(all))]
	host, by := hosts[at], hosts[(at+1)%len(hosts)]
	f := fault{what: fmt.Sprintf("%s of %s", of.pattern, host)}
	lost, err := c.watch(ctx)
	if err != nil {
		return f.and(err)
	}
	if err := c.lab.Kill(host, of.part); err != nil {
		return f.and(errors.Join(err, lost()))
	}
	how, err := c.damage(ctx, r, host, of.pattern)
	f.what += " " + how
	if err != nil {
		return f.and(errors.Join(err, c.lab.Start(ctx, host, of.part), lost()))
	}
	limited, cancel := context.WithTimeout(ctx, restartTimeout)
	err = c.lab.Start(limited, host, of.part)
	cancel()
	switch {
	case err == nil:
	case of.mend == nil:
		f = f.and(fmt.Errorf("the agent does not start: %w", err))
	default:
		f.what += "; netmaster does not start, and its member or its file is replaced"
		f = f.and(c.explained(host, of))
		_ = c.lab.Kill(host, of.part) // it may have ended
		if err = of.mend(ctx, c, host, by); err == nil && !c.isReady(ctx, host) {
			err = c.lab.Start(ctx, host, of.part)
		}
		f = f.and(err)
	}
	return c.mended(ctx, f.and(lost()))
}

// explained returns an error unless the log of a netmaster that does not start names the file that is damaged, or its directory.
func (c *cluster) explained(host string, of file) error {
	log, err := os.ReadFile(c.lab.LogFile(host, of.part))
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	last := strings.Join(lines[max(0, len(lines)-12):], "\n")
	if err == nil && !strings.Contains(last, filepath.Dir(of.pattern)) && !strings.Contains(last, storeDir) {
		err = fmt.Errorf("the log of netmaster does not name the damaged file: %s", last)
	}
	return err
}

// isReady reports whether the netmaster of a host answers.
func (c *cluster) isReady(ctx context.Context, host string) bool {
	for _, h := range c.lab.HostList() {
		if h.Name == host {
			_, err := c.masterOf(h).Nodes(ctx)
			return err == nil
		}
	}
	return false
}

// copied copies a file from one host to another.
func (c *cluster) copied(ctx context.Context, from, to, path string) error {
	name := strings.TrimPrefix(path, hostinit.Inside)
	text, err := os.ReadFile(filepath.Join(c.lab.Dir, from, name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.lab.Dir, to, name), text, 0o644)
}

// damage damages the newest file of a host that matches a pattern, and describes the damage.
func (c *cluster) damage(ctx context.Context, r *rand.Rand, host, pattern string) (how string, err error) {
	found, err := c.runOn(ctx, host, "sh", "-c", "ls -t "+pattern)
	path, _, _ := strings.Cut(string(found), "\n")
	if err != nil {
		return "is not there", nil
	}
	text, err := c.runOn(ctx, host, "base64", "-w0", path)
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	data, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil || len(data) == 0 {
		return "is empty", err
	}
	data, how = damaged(r, data, pattern == recordsFile)
	local := filepath.Join(c.lab.Dir, host, "damaged")
	if err := os.WriteFile(local, data, 0o600); err != nil {
		return how, err
	}
	out, err := c.runOn(ctx, host, "sh", "-c", "cat "+hostinit.Inside+"/damaged > "+path)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return how, err
}

// damaged returns a file's content with a bit flipped, or cut, or, of an agent's records, as an earlier or a later build writes them.
func damaged(r *rand.Rand, data []byte, records bool) (out []byte, how string) {
	out = slices.Clone(data)
	used := max(1, len(bytes.TrimRight(data, "\x00")))         // logs have room behind their end
	const number = len("\xff\xff\xff\xff\xffcontiv records\n") // where the number of the format is
	kinds := 2
	if records && len(out) > number+8 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		at, bit := r.IntN(used), r.IntN(8)
		out[at] ^= 1 << bit
		return out, fmt.Sprintf("has bit %d of byte %d of %d flipped", bit, at, len(out))
	case 1:
		at := r.IntN(used)
		return out[:at], fmt.Sprintf("is cut at byte %d of %d", at, len(out))
	case 2:
		return out[number+8:], "has no head, as of an earlier build"
	default:
		binary.BigEndian.PutUint32(out[number:], binary.BigEndian.Uint32(out[number:])+1)
		binary.BigEndian.PutUint32(out[number+4:], crc32.Checksum(out[:number+4], crc32.MakeTable(crc32.Castagnoli)))
		return out, "has the head of a later build"
	}
}

// compared are the kinds of objects that the campaign makes.
func compared() []*model.Kind {
	return []*model.Kind{model.KindTenant(), model.KindNetwork(), model.KindEndpointGroup(), model.KindPolicy(), model.KindRule(), model.KindServiceLB()}
}

// agree returns an error unless all netmasters have the same objects.
func (c *cluster) agree(ctx context.Context) error {
	first := ""
	for _, h := range c.lab.HostList() {
		said := ""
		for _, kind := range compared() {
			list, err := c.masterOf(h).List(ctx, kind)
			if err != nil {
				return err
			}
			text, err := json.Marshal(list)
			if err != nil {
				return err
			}
			said += kind.Name + " " + string(text) + "\n"
		}
		list, err := c.masterOf(h).Endpoints().List(ctx)
		if err != nil {
			return err
		}
		for _, e := range list {
			said += fmt.Sprintln(e.Network, e.ContainerID, e.HomingHost, e.MacAddress, e.IpAddress)
		}
		if first == "" {
			first = said
		}
		if said != first {
			return fmt.Errorf("netmasters differ: %s", difference(first, said))
		}
	}
	return nil
}

// difference is the first line in which two texts differ.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return a + "\n" + b
}
