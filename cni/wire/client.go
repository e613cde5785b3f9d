// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds an answer of the agent, in bytes.
const maxAnswer = 4 << 20

// ErrNoAgent means that the agent cannot be reached, ended before it answered, or sent an invalid Answer.
var ErrNoAgent = errors.New("contiv agent is not reachable")

// ErrOlder means that the agent is of a build without this protocol.
var ErrOlder = errors.New("netplugin of this host is older than this CNI plugin")

// Client speaks HTTP/1.0 (RFC 1945) with the agent, one connection per call. It avoids package net/http, which would cost every container
// start two milliseconds.
type Client struct {
	Socket  string        // path of the unix socket
	Timeout time.Duration // maximum wait for the next part of the answer, which comes in one
}

// Do sends a call to the agent and returns the answer. It blocks for Timeout; it returns ErrNoAgent if there is no answer, and then the
// operation may or may not have been carried out, and ErrOlder if the agent does not support calls.
func (c *Client) Do(call Call) (Answer, error) {
	nc, err := dial(c.Socket, c.Timeout)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrNoAgent, why(err, c.Timeout))
	}
	defer func() { _ = nc.Close() }()
	body := call.Encode()
	var out bytes.Buffer
	fmt.Fprintf(&out, "POST %s HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n",
		PathCall, len(body))
	out.Write(body)
	if _, err := nc.Write(out.Bytes()); err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrNoAgent, why(err, c.Timeout))
	}
	r, err := readResponse(nc)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrNoAgent, why(err, c.Timeout))
	}
	return r.answer()
}

// response is an answer of HTTP.
type response struct {
	status int
	exit   string // header HeaderExit
	body   []byte
}

func (r *response) answer() (Answer, error) {
	if r.status == 404 || r.status == 405 {
		return Answer{}, ErrOlder
	}
	exit, err := strconv.ParseUint(r.exit, 10, 8)
	if r.status != 200 || err != nil {
		return Answer{}, fmt.Errorf("%w: HTTP status %d: %.200s", ErrNoAgent, r.status, r.body)
	}
	return Answer{Stdout: r.body, Exit: int(exit)}, nil
}

// readResponse reads an answer; its body ends with the connection or after Content-Length bytes.
func readResponse(r io.Reader) (out response, err error) {
	in := bufio.NewReader(io.LimitReader(r, maxAnswer))
	line, err := in.ReadString('\n')
	if err != nil {
		return out, fmt.Errorf("read status: %w", noEOF(err))
	}
	fields := strings.Fields(line)
	if len(fields) < 2 || !strings.HasPrefix(fields[0], "HTTP/1.") {
		return out, fmt.Errorf("not an HTTP answer: %.80q", line)
	}
	if out.status, err = strconv.Atoi(fields[1]); err != nil || out.status < 100 || out.status > 599 {
		return out, fmt.Errorf("not an HTTP status: %.80q", line)
	}
	length := -1
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return out, fmt.Errorf("read headers: %w", noEOF(err))
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		switch name, value, _ := strings.Cut(line, ":"); {
		case strings.EqualFold(name, HeaderExit):
			out.exit = strings.TrimSpace(value)
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxAnswer {
				return out, fmt.Errorf("content length %.40q is out of range", value)
			}
		}
	}
	if length < 0 {
		out.body, err = io.ReadAll(in)
	} else {
		out.body = make([]byte, length)
		_, err = io.ReadFull(in, out.body)
	}
	if err != nil {
		return out, fmt.Errorf("read answer: %w", noEOF(err))
	}
	return out, nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
