package names

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

const (
	streamsMost  = 256              // connections at once, of which everybody has a share; more are closed
	streamIdle   = 10 * time.Second // how long a connection may be silent (RFC 7766, section 6.2.3)
	listenAgain  = time.Second      // between attempts to listen, and looks at where
	questionMost = 4096             // bytes of a question
)

// Listen listens for TCP connections at an address of the host.
type Listen func(at netip.AddrPort) (net.Listener, error)

// Serve answers questions that come over TCP (RFC 7766), to the host's private addresses, until ctx ends. It follows those
// addresses, and waits for them to be there.
func (r *Responder) Serve(ctx context.Context, listen Listen) error {
	tick := time.NewTicker(listenAgain)
	defer tick.Stop()
	var doors [2]door // IPv4 and IPv6
	defer func() {
		for i := range doors {
			doors[i].close()
		}
	}()
	for {
		for i, want := range r.listenAt() {
			if l := doors[i].at(want, listen, r.o.Log); l != nil {
				go r.accept(ctx, l)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// listenAt are the host's private addresses; invalid while there are none.
func (r *Responder) listenAt() (out [2]netip.AddrPort) {
	r.o.View(func(s *ofnet.State) {
		if s.Private.Addr().Is4() {
			for i, subnet := range []netip.Prefix{s.Private, pipeline.Private6(s.Private)} {
				out[i] = netip.AddrPortFrom(pipeline.HostAddr(subnet), pipeline.NamesPort)
			}
		}
	})
	return out
}

// door is where one family is listened at.
type door struct {
	l            net.Listener // nil: nowhere
	here, failed netip.AddrPort
}

// at moves the door, and returns a listener that is new.
func (d *door) at(want netip.AddrPort, listen Listen, log *slog.Logger) net.Listener {
	if want != d.here {
		d.close()
	}
	if d.l != nil || !want.IsValid() {
		return nil
	}
	l, err := listen(want)
	if err != nil {
		if d.failed != want {
			log.Debug("questions over TCP wait for the host's address", "address", want, "error", err)
			d.failed = want
		}
		return nil
	}
	d.l, d.here = l, want
	return l
}

func (d *door) close() {
	if d.l != nil {
		_ = d.l.Close()
	}
	d.l, d.here = nil, netip.AddrPort{}
}

// accept serves connections until the listener is closed.
func (r *Responder) accept(ctx context.Context, l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			r.o.Log.Warn("questions over TCP", "error", err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(listenAgain):
			}
			continue
		}
		go func() {
			if err := r.converse(ctx, c); err != nil {
				r.o.Log.Debug("question over TCP", "from", c.RemoteAddr(), "error", err)
			}
		}()
	}
}

// converse answers the questions of one connection, in their order.
func (r *Responder) converse(ctx context.Context, c net.Conn) error {
	defer func() { _ = c.Close() }()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	from, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return err
	}
	asker, ok := r.asker(from.Addr().Unmap())
	if !ok {
		return errNobody
	}
	release, ok := r.streams.take(asker)
	if !ok {
		r.excess.Add(1)
		return errors.New("too many connections of this endpoint, or of its tenant")
	}
	defer release()
	for {
		if err := c.SetDeadline(time.Now().Add(streamIdle)); err != nil {
			return err
		}
		question, err := readMessage(c)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		r.questions.Add(1)
		if now, ok := r.asker(from.Addr().Unmap()); !ok || now != asker {
			return errNobody // the endpoint has gone, and another one may have its address
		}
		if !r.admits(asker) {
			r.excess.Add(1)
			return errors.New("too many questions")
		}
		reply, err := r.reply(ctx, asker, question)
		if err != nil {
			r.failed.Add(1)
			return err
		}
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			r.failed.Add(1)
			return err
		}
	}
}

// readMessage reads a message with its length before it (RFC 1035, section 4.2.2).
func readMessage(c io.Reader) ([]byte, error) {
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint16(size[:]))
	if n > questionMost {
		return nil, fmt.Errorf("a question of %d bytes, of %d at most", n, questionMost)
	}
	b := make([]byte, n)
	_, err := io.ReadFull(c, b)
	return b, err
}

// errNobody says that a connection is of nobody who may ask.
var errNobody = errors.New("it is no endpoint's private address")

// asker is who has a private address.
func (r *Responder) asker(private netip.Addr) (a Asker, ok bool) {
	r.o.View(func(s *ofnet.State) {
		subnet := s.Private
		if private.Is6() {
			subnet = pipeline.Private6(s.Private)
		}
		for _, e := range s.Endpoints {
			if e.Host != s.Self || e.Port == 0 || pipeline.PrivateAddr(subnet, e.Port) != private {
				continue
			}
			if n := s.Segments[e.Segment]; n != nil && s.Tenants[n.Tenant] != nil {
				a, ok = Asker{e.Port, s.Tenants[n.Tenant].ID}, true
			}
		}
	})
	return a, ok
}

// reply is the answer of the Zone, or of the host's name servers.
func (r *Responder) reply(ctx context.Context, from Asker, question []byte) ([]byte, error) {
	reply, v := r.o.Zone.Answer(from.Tenant, question)
	switch v {
	case Answered:
		r.answered.Add(1)
		return reply, nil
	case NotOurs:
		r.forwarded.Add(1)
		return r.o.Forward.Forward(ctx, from, question, true)
	}
	return nil, errors.New("not one question for an address or a name")
}
