from app import App

app = App()
for number, prob in enumerate(app.classify([1, 0, 0, 0])):
    print(f"class {number}: {prob:.3f}")
for reading in range(6):
    app.send(reading)
print("means:", app.means())
