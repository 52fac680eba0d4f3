// The floor of every compiled program: it does nothing.
export {};
