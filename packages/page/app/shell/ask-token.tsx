import { useState } from "preact/hooks";

/** Asks for the token that the server wants. It is kept until the tab is closed. */
export function AskToken({ message, use }: { readonly message: string; readonly use: (token: string) => void }) {
  const [token, setToken] = useState("");
  return (
    <main class="alone">
      <h1>This server wants a token</h1>
      <p class="muted">{message}</p>
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
