//go:build linux

package main

func (s *sweep) selfTest() error { return nil }
