"""Goes on from a text with a language model, on this machine alone: chat.py draft.flm "It was a dark night" """
import asyncio
import sys

import ferry

model = ferry.LanguageModel(sys.argv[1])
chat = ferry.Chat(model, max_new=40)
reply = chat.complete(sys.argv[2])
for piece in reply:
    print(piece, end="", flush=True)
print(f"\n{reply.stats['tokens_per_s']:.0f} tokens a second")


async def several():
    """Chats share the model's weights and take turns."""
    async def one(seed):
        text = [piece async for piece in ferry.Chat(model, max_new=20, temperature=1, seed=seed).complete(sys.argv[2])]
        return "".join(text)
    for text in await asyncio.gather(*(one(seed) for seed in range(3))):
        print(repr(text))


asyncio.run(several())
