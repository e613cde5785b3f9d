// SPDX-License-Identifier: Apache-2.0

package find

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/sanitize"
)

// maxText is the largest number of bytes of a query, and of a value in an answer.
const maxText = 128

// rank orders matches, the best first.
type rank uint8

const (
	exact rank = iota
	prefix
	word
	part
	none
)

// String is the rank in an answer.
func (r rank) String() string {
	return [...]string{model.FoundExact, model.FoundPrefix, model.FoundWord, model.FoundPart, ""}[r]
}

// query is a text that is searched for.
type query struct {
	text     string     // in lower case, as far as it is ASCII; addresses are as this cluster prints them
	key      string     // with ":" between the parts of a key; "": it has no parts
	address  netip.Addr // invalid: it is none
	port     int        // 0: it names none
	protocol string     // of the port; "": any
	mac      string     // that the text is too, without separators, if it is in no name; "": it is none
}

// parse cleans a query. An error is a *model.Error.
func parse(text string) (*query, error) {
	text = strings.Join(strings.Fields(sanitize.Line(text, maxText)), " ")
	if text == "" {
		return nil, model.Errorf(model.CodeInvalid, "q", "it is empty").Try("give a part of a name, an address, a MAC or a port")
	}
	q := &query{text: lower(text)}
	mac, err := net.ParseMAC(q.text)
	isMAC := err == nil && len(mac) == len(record.MAC{})
	if q.address, _ = netip.ParseAddr(q.text); q.address.IsValid() {
		q.address = q.address.Unmap().WithZone("")
	}
	switch {
	case q.address.IsValid():
		q.text = q.address.String()
	case isMAC && !strings.ContainsAny(q.text, ":-."): // so is a short id of Docker
		q.mac = mac.String()
	case isMAC:
		q.text = mac.String()
	case strings.ContainsAny(q.text, ":/"):
		q.key = strings.ReplaceAll(q.text, "/", ":")
	}
	protocol, number, ok := strings.Cut(strings.NewReplacer("/", " ", ":", " ").Replace(q.text), " ")
	if !ok {
		protocol, number = "", protocol
	}
	if n, err := strconv.ParseUint(number, 10, 16); err == nil && slices.Contains([]string{"", "port", "tcp", "udp", "sctp"}, protocol) {
		q.port, q.protocol = int(n), strings.TrimPrefix(protocol, "port")
	}
	return q, nil
}

// lower changes ASCII letters to lower case, so that the length stays.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// in ranks the text in a value.
func (q *query) in(value string) rank { return rankOf(lower(value), q.text) }

// rankOf ranks a text in a value, both in lower case.
func rankOf(value, text string) rank {
	best := none
	for at := 0; at+len(text) <= len(value); at++ {
		next := strings.Index(value[at:], text)
		if next < 0 {
			break
		}
		at += next
		switch {
		case at == 0 && len(value) == len(text):
			return exact
		case at == 0:
			return prefix
		case startsWord(value[at-1], text[0]):
			best = word
		}
		best = min(best, part)
	}
	return best
}

// startsWord reports whether a word starts between two bytes.
func startsWord(before, first byte) bool { return !alphanumeric(before) || !alphanumeric(first) }

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80
}

// named ranks a query with the parts of a key, such as "shop:front" or "shop/web", in a key.
func (q *query) named(key string) rank {
	if q.key == "" {
		return none
	}
	r := rankOf(lower(key), q.key)
	if r == part {
		r = none // inside a name
	}
	return r
}

// place ranks the text in an address, or in a subnet or a range, which has the addresses in it.
func (q *query) place(value string) rank {
	if value == "" {
		return none
	}
	r := q.in(value)
	if r == part {
		r = none // inside a number
	}
	if p, err := netip.ParsePrefix(value); err == nil && q.address.IsValid() && p.Masked().Contains(q.address) {
		r = min(r, word)
	}
	if a, err := netip.ParseAddr(value); err == nil && a.Unmap() == q.address {
		r = exact
	}
	return r
}

// isPort ranks a port of a protocol; 0 is any port, which is no match.
func (q *query) isPort(port int, protocol string) rank {
	if port != 0 && port == q.port && (q.protocol == "" || strings.EqualFold(protocol, q.protocol)) {
		return exact
	}
	return none
}

// isOnePort ranks the ports of a service, such as 80:8080:TCP or 80/TCP.
func (q *query) isOnePort(text string) rank {
	words := strings.FieldsFunc(lower(text), func(r rune) bool { return r < 0x80 && !alphanumeric(byte(r)) })
	if q.port != 0 && slices.Contains(words, strconv.Itoa(q.port)) && (q.protocol == "" || slices.Contains(words, q.protocol)) {
		return exact
	}
	return none
}
