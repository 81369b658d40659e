//go:build !windows

package drive

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test program is also the client that it drives, and a driver that can be killed.
func TestMain(m *testing.M) {
	if part := os.Getenv("PLAY"); part != "" {
		os.Exit(play(part))
	}
	if part := os.Getenv("DRIVE"); part != "" {
		_, err := client(part, os.Environ()...).Run("/sdd:go", nil)
		fmt.Fprintln(os.Stderr, err)
		os.Exit(0)
	}
	// A test waits for its clients more than it computes.
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	os.Exit(m.Run())
}

// client is one that plays a part, given as "word argument".
func client(part string, env ...string) Client {
	return Client{Program: os.Args[0], Stall: time.Minute,
		Env: append(env, "PLAY="+part, "PATH="+os.Getenv("PATH"))}
}

func text(line string) {
	fmt.Printf(`{"type":"assistant","message":{"content":[{"type":"text","text":%q}]}}`+"\n", line)
}

// play is the client. It returns its exit code.
func play(part string) int {
	if part == "prompt" { // which names the part
		part = os.Args[2]
	}
	word, argument, _ := strings.Cut(part, " ")
	if argument == "args" {
		argument = strings.Join(os.Args[1:], " ") + " " + os.Getenv(Mark) + " "
	}
	switch word {
	case "record": // a recording, and the exit code after it
		name, code, _ := strings.Cut(argument, " ")
		line, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(line)
		n, _ := strconv.Atoi(code)
		return n
	case "limit":
		fmt.Printf(`{"type":"result","is_error":true,"terminal_reason":"api_error",`+
			`"api_error_status":429,"result":"You've hit your limit · resets %s"}`+"\n", argument)
		return 1
	case "in-use":
		fmt.Fprintf(os.Stderr, "Error: Session ID %s is already in use.\n", os.Getenv(Mark))
		return 1
	case "flood": // lines of 1 MiB
		n, _ := strconv.Atoi(argument)
		for line := strings.Repeat("x", 1<<20); n > 0; n-- {
			os.Stdout.WriteString(`{"type":"assistant","message":{"content":[{"type":"text",` +
				`"text":"` + line + `"}]}}` + "\n")
			os.Stderr.WriteString(line)
		}
		text("end")
	case "retry": // a pause that is announced
		fmt.Println(`{"type":"system","subtype":"api_retry","retry_delay_ms":2000}`)
		time.Sleep(2 * time.Second)
	case "drip": // a line every half second
		n, _ := strconv.Atoi(argument)
		for ; n > 0; n-- {
			text("drop")
			time.Sleep(time.Second / 2)
		}
	case "polite": // ends at an interrupt, as the client does
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, syscall.SIGINT)
		text(argument + "ready")
		<-heard
		fmt.Println(`{"type":"result","is_error":true,"terminal_reason":"aborted_streaming"}`)
	case "deaf": // ends at a kill only
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, syscall.SIGINT, syscall.SIGTERM)
		text("ready")
		for range heard {
			text("deaf")
		}
	case "tool", "killed": // has a tool that runs in a session of its own
		startTool()
		text("ready")
		if word == "killed" {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		time.Sleep(time.Hour)
	}
	return 0
}
