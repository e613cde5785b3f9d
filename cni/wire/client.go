package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds what is read from the agent.
const maxAnswer = 4 << 20

// ErrNoAgent says that the agent cannot be reached, or ended before it answered.
var ErrNoAgent = errors.New("contiv agent is not reachable")

// Client speaks HTTP/1.0 (RFC 1945) with the agent, one connection a call. It does without package net/http, which
// would cost every container start two milliseconds.
type Client struct {
	Socket  string        // path of the unix socket
	Timeout time.Duration // of a whole call
}

// Call posts the request to path and returns the answer. It blocks for Timeout at most; it returns ErrNoAgent when
// there is no answer, and then the operation may or may not have been carried out.
func (c *Client) Call(path string, r Request) (Answer, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return Answer{}, fmt.Errorf("encode request: %w", err)
	}
	status, answer, err := c.post(path, body)
	if err != nil {
		return Answer{}, err
	}
	return decodeAnswer(status, answer)
}

func decodeAnswer(status int, body []byte) (Answer, error) {
	var a Answer
	if status != 200 {
		return a, fmt.Errorf("%w: HTTP status %d: %.200s", ErrNoAgent, status, body)
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return a, fmt.Errorf("%w: answer is not JSON: %w", ErrNoAgent, err)
	}
	return a, nil
}

func (c *Client) post(path string, body []byte) (status int, answer []byte, err error) {
	nc, err := net.DialTimeout("unix", c.Socket, min(c.Timeout, 5*time.Second))
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrNoAgent, err)
	}
	defer func() { _ = nc.Close() }()
	if err := nc.SetDeadline(time.Now().Add(c.Timeout)); err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrNoAgent, err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "POST %s HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, len(body))
	out.Write(body)
	if _, err := nc.Write(out.Bytes()); err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrNoAgent, err)
	}
	status, answer, err = readResponse(nc)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrNoAgent, err)
	}
	return status, answer, nil
}

// readResponse reads status and body; the body ends with the connection or after Content-Length bytes.
func readResponse(r io.Reader) (status int, body []byte, err error) {
	in := bufio.NewReader(io.LimitReader(r, maxAnswer))
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, nil, fmt.Errorf("read status: %w", noEOF(err))
	}
	fields := strings.Fields(line)
	if len(fields) < 2 || !strings.HasPrefix(fields[0], "HTTP/1.") {
		return 0, nil, fmt.Errorf("not an HTTP answer: %.80q", line)
	}
	if status, err = strconv.Atoi(fields[1]); err != nil || status < 100 || status > 599 {
		return 0, nil, fmt.Errorf("not an HTTP status: %.80q", line)
	}
	length := -1
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, nil, fmt.Errorf("read headers: %w", noEOF(err))
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxAnswer {
				return 0, nil, fmt.Errorf("content length %.40q is out of range", value)
			}
		}
	}
	if length < 0 {
		body, err = io.ReadAll(in)
	} else {
		body = make([]byte, length)
		_, err = io.ReadFull(in, body)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("read answer: %w", noEOF(err))
	}
	return status, body, nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
