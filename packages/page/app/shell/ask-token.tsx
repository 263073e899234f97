import { useState } from "preact/hooks";

/** Asks for the token that the server wants. It is kept until the tab is closed. `message` is what was wrong with the one before, empty for the first. */
export function AskToken({ message, use }: { readonly message: string; readonly use: (token: string) => void }) {
  const [token, setToken] = useState("");
  return (
    <main class="alone">
      <h1>This server wants a token</h1>
      {message !== "" && <p role="alert">{message}</p>}
      <p class="muted">
        It is the PLANLOOM_TOKEN that the server was started with, or one of its file of tokens. It is kept until this
        tab is closed.
      </p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          use(token.trim());
        }}
      >
        <input
          type="password"
          aria-label="Token"
          autocomplete="off"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <button type="submit" class="main">
          Use it
        </button>
      </form>
    </main>
  );
}
