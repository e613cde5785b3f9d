// SPDX-License-Identifier: Apache-2.0

package vswitchd

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/ofnet/flow"
)

// Step is one flow that the packet matched.
type Step struct {
	Table    flow.TableID
	Priority uint16
	Cookie   flow.Cookie
	Match    string   // as ovs-ofctl prints it; "" matches any packet
	Actions  []string // as ovs-ofctl prints them, one each
	Missing  bool     // the packet matched no flow
}

// Flow returns the flow of a step, as it is in the switch; an error if package flow cannot represent it.
func (s *Step) Flow(tables flow.Tables) (flow.Flow, error) {
	m, err := flow.ParseMatch(s.Match)
	if err != nil {
		return flow.Flow{}, err
	}
	a, err := flow.ParseActions(strings.Join(s.topLevel(), ","), tables)
	if err != nil {
		return flow.Flow{}, err
	}
	f := flow.New(s.Table, s.Priority, m, a)
	f.Cookie = s.Cookie
	return f, nil
}

// Text is the flow of a step as ovs-ofctl writes one.
func (s *Step) Text() string {
	out := fmt.Sprintf("cookie=%#x,table=%d,priority=%d", uint64(s.Cookie), s.Table, s.Priority)
	if s.Match != "" {
		out += "," + s.Match
	}
	return out + " actions=" + strings.Join(s.topLevel(), ",")
}

// topLevel omits what Open vSwitch prints of the inside of ct(), which is in the ct() itself too.
func (s *Step) topLevel() []string {
	out := make([]string, 0, len(s.Actions))
	for _, a := range s.Actions {
		if a == "nat" || strings.HasPrefix(a, "nat(") || strings.Contains(a, "->NXM_NX_CT_") && !strings.HasPrefix(a, "ct(") {
			continue
		}
		out = append(out, a)
	}
	return out
}

// Packet is a packet as Open vSwitch describes it: fields by name, as "nw_src"; those without a value, as "tcp", have "".
type Packet map[string]string

// Trace is the path of a packet through one switch.
type Trace struct {
	Steps  []Step // in order, also those after the connection tracker
	Start  Packet // as it arrived
	End    Packet // as the tables leave it
	Ports  []uint32
	Action string // datapath actions of the last pass; "drop" if it is dropped
}

var (
	stepLine       = regexp.MustCompile(`^ ?([0-9]{1,3})\. (?:(.*), )?priority ([0-9]{1,5})(?:, cookie 0x([0-9a-f]{1,16}))?$`)
	missLine       = regexp.MustCompile(`^ ?([0-9]{1,3})\. No match\.`)
	outputComment  = regexp.MustCompile(`^-> output port is ([0-9]{1,10})$`)
	outputWord     = regexp.MustCompile(`^output:([0-9]{1,10})$`)
	inPortWord     = regexp.MustCompile(`^(?:IN_PORT|in_port|output:IN_PORT)$`)
	bucketLine     = regexp.MustCompile(`^bucket [0-9]+$`)
	bridgeLine     = regexp.MustCompile(`^bridge\("(.*)"\)$`)
	skippedComment = "skipping output to input port"
)

// traceReader is the state of Parse.
type traceReader struct {
	bridge  string
	here    bool // within the traced bridge
	indents []indent
	out     *Trace
}

// indent is the depth of a step, and that of its actions: 0 until one was read.
type indent struct{ step, actions int }

// depth returns the indentation of a line. All actions of a step have the same indentation, which is deeper than that of the step; deeper
// lines belong to an action, as the steps of a resubmission do.
func depth(line string) int { return (len(line) - len(strings.TrimLeft(line, " "))) / 4 }

// add adds a step with an indentation.
func (r *traceReader) add(s Step, depth int) {
	r.out.Steps, r.indents = append(r.out.Steps, s), append(r.indents, indent{step: depth})
}

// does adds an action to its step.
func (r *traceReader) does(words string, depth int) {
	for i := len(r.indents) - 1; i >= 0; i-- {
		p := &r.indents[i]
		if p.step >= depth {
			continue
		}
		if p.actions == 0 {
			p.actions = depth
		}
		if p.actions == depth {
			r.out.Steps[i].Actions = append(r.out.Steps[i].Actions, words)
		}
		return
	}
}

// ParseTrace parses the text of ofproto/trace for a bridge. It omits what other bridges do with the packet, such as the one that carries
// the tunnels.
func ParseTrace(text, bridge string) (*Trace, error) {
	r := &traceReader{bridge: bridge, out: &Trace{}}
	for line := range strings.Lines(text) {
		if err := r.line(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, err
		}
	}
	switch {
	case r.out.Start == nil:
		return nil, fmt.Errorf("trace has no packet: %s", short(text))
	case len(r.out.Steps) == 0:
		return nil, fmt.Errorf("trace has no step of bridge %s: %s", bridge, short(text))
	}
	return r.out, nil
}

func short(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}

func (r *traceReader) line(line string) error {
	switch {
	case strings.HasPrefix(line, "Flow: "):
		p := packet(strings.TrimPrefix(line, "Flow: "))
		if r.out.Start == nil {
			r.out.Start = p
		}
		r.out.End = p
	case strings.HasPrefix(line, "Final flow: "):
		r.here = false
		if text := strings.TrimPrefix(line, "Final flow: "); text != "unchanged" {
			r.out.End = packet(text)
		}
	case strings.HasPrefix(line, "Datapath actions: "):
		r.out.Action = strings.TrimPrefix(line, "Datapath actions: ")
	case bridgeLine.MatchString(line):
		r.here = bridgeLine.FindStringSubmatch(line)[1] == r.bridge
	case r.here:
		return r.step(line)
	}
	return nil
}

// step reads a line about the bridge's tables.
func (r *traceReader) step(line string) error {
	words, depth := strings.TrimSpace(line), depth(line)
	if m := missLine.FindStringSubmatch(words); m != nil {
		id, err := strconv.ParseUint(m[1], 10, 8)
		if err != nil {
			return fmt.Errorf("trace: table %s: %w", m[1], err)
		}
		r.add(Step{Table: flow.TableID(id), Missing: true}, depth)
		return nil
	}
	if m := stepLine.FindStringSubmatch(words); m != nil {
		return r.flow(m, depth)
	}
	if m := outputComment.FindStringSubmatch(words); m != nil {
		return r.output(m[1])
	}
	switch {
	case len(r.out.Steps) == 0 || words == "":
	case strings.Contains(words, skippedComment):
		if n := len(r.out.Ports); n > 0 {
			r.out.Ports = r.out.Ports[:n-1]
		}
	case strings.HasPrefix(words, "->") || strings.HasPrefix(words, ">>") || bucketLine.MatchString(words):
	case outputWord.MatchString(words):
		r.does(words, depth)
		return r.output(outputWord.FindStringSubmatch(words)[1])
	case inPortWord.MatchString(words):
		r.does(words, depth)
		return r.output(r.out.Start["in_port"])
	case words != "thaw" && !strings.HasPrefix(words, "Resuming from table") && !strings.HasPrefix(words, "---"):
		r.does(words, depth)
	}
	return nil
}

func (r *traceReader) flow(m []string, depth int) error {
	id, err := strconv.ParseUint(m[1], 10, 8)
	if err != nil {
		return fmt.Errorf("trace: table %s: %w", m[1], err)
	}
	priority, err := strconv.ParseUint(m[3], 10, 16)
	if err != nil {
		return fmt.Errorf("trace: priority %s: %w", m[3], err)
	}
	s := Step{Table: flow.TableID(id), Priority: uint16(priority), Match: m[2]}
	if m[4] != "" {
		cookie, err := strconv.ParseUint(m[4], 16, 64)
		if err != nil {
			return fmt.Errorf("trace: cookie %s: %w", m[4], err)
		}
		s.Cookie = flow.Cookie(cookie)
	}
	r.add(s, depth)
	return nil
}

func (r *traceReader) output(port string) error {
	n, err := strconv.ParseUint(port, 10, 32)
	if err != nil || n == 0 {
		return nil // a reserved port by name, or none: no port of the tables
	}
	if !slices.Contains(r.out.Ports, uint32(n)) {
		r.out.Ports = append(r.out.Ports, uint32(n))
	}
	return nil
}

// packet reads "tcp,nw_src=10.1.1.1,...".
func packet(text string) Packet {
	p := Packet{}
	for field := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		if name != "" {
			p[name] = value
		}
	}
	return p
}
